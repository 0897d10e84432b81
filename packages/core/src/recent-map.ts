const GENERATION = 4096

/**
 * A bounded map: keeps at least the last 4,096 keys, and at most 8,192. Two generations make forgetting
 * cheap.
 */
export class RecentMap<Value> {
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()

  get(key: string): Value | undefined {
    return this.#recent.get(key) ?? this.#older.get(key)
  }

  set(key: string, value: Value): void {
    this.#recent.set(key, value)
    if (this.#recent.size < GENERATION) return
    this.#older = this.#recent
    this.#recent = new Map()
  }
}
