/** A key that was good, and for which license. */
export interface SeenKey {
  readonly keyDigest: string
  readonly licenseId: string
}

/** Keys of a generation; two generations are remembered: 24 MB. */
const GENERATION = 50_000

/**
 * Which license an issued key was good for when it was last asked. It opens nothing: it only says whom a
 * request speaks for while the statement that serves it checks the license itself. Bounded: what was not used
 * while so many others came is forgotten, a whole generation at once, since a map's first entry is found by
 * walking over all that were deleted.
 */
export class SeenKeys {
  readonly #generation: number
  #recent = new Map<string, SeenKey>()
  #older = new Map<string, SeenKey>()

  constructor(generation: number = GENERATION) {
    this.#generation = generation
  }

  /** Whom the key with this digest spoke for, if it was seen. */
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
