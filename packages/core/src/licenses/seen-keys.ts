/** Keys of a generation; two generations are remembered: 14 MB. */
const GENERATION = 50_000

/**
 * Which license an issued key was good for when it was last asked. It opens nothing: it only says whom a request speaks
 * for while the statement that serves it checks the license itself. Bounded: what was not used while so many others came is
 * forgotten, a whole generation at once, since a map's first entry is found by walking over all that were deleted.
 */
export class SeenKeys {
  readonly #generation: number
  #recent = new Map<string, string>()
  #older = new Map<string, string>()

  constructor(generation: number = GENERATION) {
    this.#generation = generation
  }

  /** The license of the key with this digest, if it was seen. */
  licenseOf(keyDigest: string): string | undefined {
    const recent = this.#recent.get(keyDigest)
    if (recent !== undefined) return recent
    const older = this.#older.get(keyDigest)
    if (older !== undefined) this.note(keyDigest, older)
    return older
  }

  note(keyDigest: string, licenseId: string): void {
    if (this.#recent.size >= this.#generation) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(keyDigest, licenseId)
  }

  forget(keyDigest: string): void {
    this.#recent.delete(keyDigest)
    this.#older.delete(keyDigest)
  }
}
