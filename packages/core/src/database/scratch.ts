/** As long as 128 requests of 20 lines are. What is longer is rare, and gets a buffer that nobody keeps. */
const KEPT_BYTES = 256 * 1024

/**
 * Buffers that are used again, for what is sent with a statement. A new one of some 35 KB for each had V8
 * collect its whole heap seven times a second under a storm of logs, since it counts memory beside its heap
 * too: a fifth of Node's processor time.
 */
export class Scratch {
  readonly #free: Buffer[] = []

  /**
   * Copies `parts` one after the other into a buffer that is `work`'s own until what it returns has settled.
   */
  async with<T>(parts: readonly Buffer[], work: (joined: Buffer) => Promise<T>): Promise<T> {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    if (bytes > KEPT_BYTES) return work(Buffer.concat(parts))
    const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(KEPT_BYTES)
    try {
      let end = 0
      for (const part of parts) end += part.copy(buffer, end)
      return await work(buffer.subarray(0, end))
    } finally {
      this.#free.push(buffer)
    }
  }
}
