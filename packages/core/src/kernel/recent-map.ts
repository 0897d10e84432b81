const GENERATION = 4096

/**
 * A bounded map: keeps at least as many of the last keys that were set or read as `generation` says, and at
 * most twice as many. Two generations make forgetting cheap, because finding the first entry of a `Map` walks
 * over all entries deleted before it.
 */
export class RecentMap<Value> {
  readonly #generation: number
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()

  constructor(generation: number = GENERATION) {
    this.#generation = generation
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value): void {
    if (this.#recent.size >= this.#generation && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }
}
