interface Reading<Value> {
  /** Settles with the read, and never fails. */
  readonly over: Promise<unknown>
  next: Promise<Value> | undefined
}

/**
 * Reads of one key, one at a time: whoever asks while one is under way waits for its end and shares the next
 * with all others who wait. None is answered from a read that began before it asked, so each sees what it
 * wrote.
 */
export class SharedReads<Value> {
  readonly #read: (key: string) => Promise<Value>
  readonly #underWay = new Map<string, Reading<Value>>()

  constructor(read: (key: string) => Promise<Value>) {
    this.#read = read
  }

  /** The value of `key`. It is shared, so nobody may change it. */
  of(key: string): Promise<Value> {
    const reading = this.#underWay.get(key)
    if (reading === undefined) return this.#begin(key)
    reading.next ??= reading.over.then(() => this.#begin(key))
    return reading.next
  }

  #begin(key: string): Promise<Value> {
    const value = this.#read(key)
    const over = value.then(
      () => undefined,
      () => undefined,
    )
    const reading: Reading<Value> = { over, next: undefined }
    this.#underWay.set(key, reading)
    void over.then(() => {
      if (reading.next === undefined) this.#underWay.delete(key)
    })
    return value
  }
}
