import type { Socket } from 'node:net'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { Cancelled, Closed, TimedOut } from './smtp-outcome.ts'

/** The end of a transaction's patience. */
export interface Patience {
  readonly signal?: AbortSignal | undefined
  readonly ms: number
}

/** A connection to the relay, for one transaction after the other. A failure ends it. */
export class RelaySession {
  readonly #connection: SMTPConnection
  #failed: ((error: Error) => void) | undefined
  #isOver = false
  #idle: NodeJS.Timeout | undefined
  #works = 0

  constructor(connection: SMTPConnection) {
    this.#connection = connection
    connection.on('error', (error) => this.#break(error))
    // A reply before the end comes first: its callbacks run before the next turn.
    connection.on('end', () => setImmediate(() => this.#break(new Closed('the connection was closed'))))
  }

  /** Whether the connection is there no more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Works that were done. */
  get works(): number {
    return this.#works
  }

  /** Works with the connection. @throws its error, that of the work, `Cancelled` or `TimedOut` */
  async run<T>({ signal, ms }: Patience, work: (connection: SMTPConnection) => Promise<T>): Promise<T> {
    const { promise: broken, reject } = Promise.withResolvers<never>()
    const cancelled = () => reject(new Cancelled())
    const timer = setTimeout(() => reject(new TimedOut()), ms)
    signal?.addEventListener('abort', cancelled, { once: true })
    this.#failed = reject
    const done = this.#isOver
      ? Promise.reject(new Closed('the connection was closed'))
      : work(this.#connection)
    try {
      const result = await Promise.race([done, broken])
      this.#works += 1
      return result
    } catch (error) {
      this.close()
      throw error
    } finally {
      this.#failed = undefined
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancelled)
      done.catch(() => {})
      broken.catch(() => {})
    }
  }

  /** Waits for the next work for so long; a process does not stay for that. */
  rest(ms: number): void {
    // The end of a message is a write of its own: it would wait 40 ms for the relay's word on the one before.
    this.#socket?.setNoDelay(true)
    this.#idle = setTimeout(() => this.close(), ms).unref()
    this.#socket?.unref()
  }

  /** Ends the wait. */
  wake(): void {
    clearTimeout(this.#idle)
    this.#socket?.ref()
  }

  close(): void {
    this.#isOver = true
    clearTimeout(this.#idle)
    this.#connection.close()
  }

  #break(error: Error): void {
    this.#isOver = true
    this.#failed?.(error)
  }

  // Nodemailer hands out no socket, and replaces its own when a connection becomes one over TLS.
  get #socket(): Socket | undefined {
    const { _socket } = this.#connection as unknown as { readonly _socket?: Socket | false }
    return _socket || undefined
  }
}
