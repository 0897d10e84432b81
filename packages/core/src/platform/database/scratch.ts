/**
 * Size of a kept buffer: 128 requests of 20 lines. Longer contents are rare and get a buffer of their own.
 */
const KEPT_BYTES = 256 * 1024

/**
 * Reused buffers for the binary parameter of a statement. V8 counts memory outside of its heap too: a new
 * buffer of some 35 KB for each statement made it collect the whole heap so often under a storm of logs that
 * it took a fifth of Node's processor time.
 */
export class Scratch {
  readonly #free: Buffer[] = []

  /** Joins `parts` in a buffer, which belongs to `work` until the promise that it returns has settled. */
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
