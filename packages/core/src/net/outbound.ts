import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { type Log, silentLog } from '../log.ts'
import { Deadline } from './deadline.ts'
import type { Resolver } from './dns.ts'
import { exchange, type Message, type Received } from './exchange.ts'
import {
  limitsOf,
  messageOf,
  OUTBOUND_LIMITS,
  type OutboundAnswer,
  type OutboundLimits,
  type OutboundRequest,
} from './outbound-request.ts'
import { ownAddresses } from './own-addresses.ts'
import { openSocket } from './pinned-socket.ts'
import { type AddressRanges, AddressRules } from './public-address.ts'
import { messageAfter, redirectOf } from './redirect.ts'
import { codeOf, Refused, refusalOf } from './refusal.ts'
import { readTarget, type Target } from './target.ts'

/** Calls to addresses that somebody else chose: webhooks, git hosts, scans. */
export interface Outbound extends AsyncDisposable {
  /**
   * Sends one request and reads the whole answer. Whatever the far side does is a value; only a request that the
   * caller wrote wrongly is a `TypeError`. Nothing is retried, kept or inflated.
   */
  request(url: string, request?: OutboundRequest): Promise<OutboundAnswer>
}

/** What an outbound client is built from. */
export interface OutboundParts extends AddressRanges {
  readonly resolver: Resolver
  /** Told the host name and the reason of every refusal, never a path, an address or a header. */
  readonly log?: Log | undefined
  readonly limits?: Partial<OutboundLimits> | undefined
  /** Certificate authorities (PEM) to trust besides the system's, for private installations. */
  readonly ca?: readonly string[] | undefined
}

interface Call {
  readonly limits: OutboundLimits
  readonly plainHttp: boolean
  readonly deadline: Deadline
}

class GuardedOutbound implements Outbound {
  readonly #resolver: Resolver
  readonly #rules: AddressRules
  readonly #limits: OutboundLimits
  readonly #log: Log
  readonly #trust: SecureContext
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<OutboundAnswer>>()

  constructor({ resolver, log = silentLog, limits, ca = [], own = ownAddresses, ...ranges }: OutboundParts) {
    this.#resolver = resolver
    this.#rules = new AddressRules({ ...ranges, own })
    this.#limits = { ...OUTBOUND_LIMITS, ...limits }
    this.#log = log
    this.#trust = createSecureContext({ ca: [...getCACertificates(), ...ca], minVersion: 'TLSv1.2' })
  }

  async request(url: string, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const message = messageOf(request)
    const answer = this.#answer(url, message, request)
    this.#running.add(answer)
    try {
      return await answer
    } finally {
      this.#running.delete(answer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running)
  }

  async #answer(url: string, message: Message, request: OutboundRequest): Promise<OutboundAnswer> {
    const limits = limitsOf(this.#limits, request)
    const outer = request.signal ? [this.#closing.signal, request.signal] : [this.#closing.signal]
    using deadline = new Deadline(limits.totalMs, outer)
    let host: string | undefined
    try {
      const call = { limits, plainHttp: request.plainHttp ?? false, deadline }
      const received = await this.#follow(url, message, call, (target) => {
        host = target.isLiteral ? 'an IP address' : target.host
      })
      return { ok: true, ...received }
    } catch (error) {
      // When the time is over, what breaks next is its consequence.
      const refusal = refusalOf(deadline.signal.aborted ? deadline.signal.reason : error)
      if (!refusal) throw error
      const code = error instanceof Refused ? error.cause : codeOf(error)
      this.#log.warn({ refusal, host, code }, 'an outgoing request was refused')
      return { ok: false, refusal }
    }
  }

  async #follow(url: string, first: Message, call: Call, visit: (target: Target) => void): Promise<Received> {
    const { plainHttp, limits } = call
    let target = readTarget(url, { plainHttp })
    let message = first
    for (let hops = 0; ; hops++) {
      visit(target)
      const received = await this.#hop(target, message, call)
      const location = redirectOf(received)
      if (location === undefined) return received
      if (hops >= limits.maxRedirects) throw new Refused('redirect')
      const next = readTarget(location, { plainHttp, base: target.url })
      message = messageAfter(message, received.status, target, next)
      target = next
    }
  }

  async #hop(target: Target, message: Message, { limits, deadline }: Call): Promise<Received> {
    const addresses = await this.#addressesOf(target, limits, deadline)
    deadline.step(limits.connectMs)
    const { connectMs } = limits
    const route = { addresses, connectMs, trust: this.#trust, signal: deadline.signal }
    const socket = await openSocket(target, route)
    return exchange({ socket, target, message, limits }, deadline)
  }

  /** Resolves once and judges every address: one that is not public refuses them all, since DNS orders them at will. */
  async #addressesOf({ host, isLiteral }: Target, limits: OutboundLimits, deadline: Deadline) {
    deadline.step(limits.resolveMs)
    const found = isLiteral ? [host] : await this.#resolve(host, deadline)
    if (found.length === 0) throw new Refused('unresolved')
    return found.map((address) => {
      const admitted = this.#rules.admit(address)
      if (admitted === undefined) throw new Refused('not-public')
      return admitted
    })
  }

  async #resolve(host: string, deadline: Deadline): Promise<readonly string[]> {
    try {
      return await deadline.race(this.#resolver.resolve(host, deadline.signal))
    } catch (error) {
      deadline.signal.throwIfAborted()
      throw new Refused('unresolved', { cause: codeOf(error) })
    }
  }
}

/** An outbound client. Dispose of it: calls under way end as `cancelled`, and so do later ones. */
export function createOutbound(parts: OutboundParts): Outbound {
  return new GuardedOutbound(parts)
}
