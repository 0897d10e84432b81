interface Reading<Value> {
  /** Resolves when the read ends, even if it fails. */
  readonly over: Promise<unknown>
  next: Promise<Value> | undefined
}

/**
 * A reader that reads each key one read at a time. Callers that ask while a read is under way wait for its
 * end and share the next one. No caller gets the result of a read that began before it asked, so each sees
 * its own writes.
 */
export class SharedReads<Value> {
  readonly #read: (key: string) => Promise<Value>
  readonly #underWay = new Map<string, Reading<Value>>()

  constructor(read: (key: string) => Promise<Value>) {
    this.#read = read
  }

  /** Returns the value of `key`. Callers share it, so they must not change it. */
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
