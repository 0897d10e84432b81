import { Deadline } from './deadline.ts'
import type { Received } from './exchange.ts'
import type { OutboundLimits } from './outbound-request.ts'
import type { Target } from './target.ts'

/** One outgoing call, from its URL to the end of the answer's body. */
export class OutboundCall {
  readonly limits: OutboundLimits
  readonly plainHttp: boolean
  readonly deadline: Deadline
  /** Resolves when the call is over and its connection closed. */
  readonly over: Promise<void>
  /** Host of the current hop, in the form that may be logged. */
  host: string | undefined
  readonly #settle: () => void
  #received: Received | undefined

  constructor(options: { limits: OutboundLimits; plainHttp: boolean; ends: readonly AbortSignal[] }) {
    this.limits = options.limits
    this.plainHttp = options.plainHttp
    this.deadline = new Deadline(options.limits.totalMs, options.ends)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.over = promise
    this.#settle = resolve
  }

  /** Records the host of the next hop. IP addresses are not logged. */
  visit({ isLiteral, host }: Target): void {
    this.host = isLiteral ? 'an IP address' : host
  }

  /**
   * Takes over an answer whose body is still coming. From now on the deadline closes it, whether the body is
   * read or not.
   */
  hold(received: Received): void {
    this.#received = received
    const { signal } = this.deadline
    signal.addEventListener('abort', () => void this.end(), { once: true })
    if (signal.aborted) void this.end()
  }

  /** Ends the call, even in the middle of a step. A second call does nothing. */
  async end(): Promise<void> {
    const received = this.#received
    this.#received = undefined
    this.deadline[Symbol.dispose]()
    await received?.close()
    this.#settle()
  }
}
