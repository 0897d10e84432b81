/** A key that was valid, and the license that it belongs to. */
export interface SeenKey {
  readonly keyDigest: string
  readonly licenseId: string
}

/** Most keys of a generation. Two generations are kept: 24 MB. */
const GENERATION = 50_000

/**
 * Licenses that issued keys belonged to when they were last validated. An entry grants nothing: it only tells
 * which license a request acts for, while the statement that serves the request checks the license itself.
 * Memory is bounded: keys that go unused are forgotten a generation at a time, because finding the first
 * entry of a `Map` walks over all entries deleted before it.
 */
export class SeenKeys {
  readonly #generation: number
  #recent = new Map<string, SeenKey>()
  #older = new Map<string, SeenKey>()

  constructor(generation: number = GENERATION) {
    this.#generation = generation
  }

  /** Returns the license of the key with this digest, if the key was seen. */
  find(keyDigest: string): SeenKey | undefined {
    const recent = this.#recent.get(keyDigest)
    if (recent !== undefined) return recent
    const older = this.#older.get(keyDigest)
    if (older !== undefined) this.#keep(older)
    return older
  }

  note(keyDigest: string, licenseId: string): void {
    this.#keep({ licenseId, keyDigest })
  }

  forget(keyDigest: string): void {
    this.#recent.delete(keyDigest)
    this.#older.delete(keyDigest)
  }

  #keep(seen: SeenKey): void {
    if (this.#recent.size >= this.#generation) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(seen.keyDigest, seen)
  }
}
