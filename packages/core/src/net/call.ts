import { Deadline } from './deadline.ts'
import type { Received } from './exchange.ts'
import type { OutboundLimits } from './outbound-request.ts'
import type { Target } from './target.ts'

/** One call, from its URL to the end of its answer's body. */
export class Call {
  readonly limits: OutboundLimits
  readonly plainHttp: boolean
  readonly deadline: Deadline
  /** Settles when the call is over and its connection closed. */
  readonly over: Promise<void>
  /** What the log may say of where it went. */
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

  /** Notes the host of the next hop: an address is not for the log. */
  visit({ isLiteral, host }: Target): void {
    this.host = isLiteral ? 'an IP address' : host
  }

  /** Takes over an answer whose body is still coming: the deadline ends it from now on, read or not. */
  hold(received: Received): void {
    this.#received = received
    const { signal } = this.deadline
    signal.addEventListener('abort', () => void this.end(), { once: true })
    if (signal.aborted) void this.end()
  }

  /** Ends it, whatever is under way; a second time does nothing. */
  async end(): Promise<void> {
    const received = this.#received
    this.#received = undefined
    this.deadline[Symbol.dispose]()
    await received?.close()
    this.#settle()
  }
}
