import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { type Log, silentLog } from '../../kernel/log.ts'
import { type AddressChecks, checkedAddresses } from './checked-addresses.ts'
import type { Resolver } from './dns.ts'
import { exchange, type Message, type Received, wholeOf } from './exchange.ts'
import { OutboundCall } from './outbound-call.ts'
import { codeOf, type OutboundRefusal, OutboundRefused, refusalOf } from './outbound-refusal.ts'
import {
  limitsOf,
  messageOf,
  OUTBOUND_LIMITS,
  type OutboundAnswer,
  type OutboundLimits,
  type OutboundRequest,
  type OutboundStream,
} from './outbound-request.ts'
import { ownAddresses } from './own-addresses.ts'
import { openSocket } from './pinned-socket.ts'
import { type AddressRanges, AddressRules } from './public-address.ts'
import { messageAfter, redirectOf } from './redirect.ts'
import { readTarget, type Target } from './target.ts'

/** Client for calls to addresses that somebody else chose: webhooks, git hosts, scans. */
export interface Outbound extends AsyncDisposable {
  /**
   * Sends one request and reads the whole answer. Failures of the far side are returned; only a malformed
   * request of the caller throws, a `TypeError`. There are no retries, no reused connections and no
   * decompression.
   */
  request(url: string, request?: OutboundRequest): Promise<OutboundAnswer>
}

/** An outbound client that can also stream answers. */
export interface StreamingOutbound extends Outbound {
  /**
   * Sends one request and returns when the head of the answer is there. The same limits apply while the body
   * is read.
   */
  stream(url: string, request?: OutboundRequest): Promise<OutboundStream>
}

/** Dependencies of an outbound client. */
export interface OutboundParts extends AddressRanges {
  readonly resolver: Resolver
  /** Log of refusals: it gets the host name and the reason, never a path, an address or a header. */
  readonly log?: Log | undefined
  readonly limits?: Partial<OutboundLimits> | undefined
  /** Whether any port may be called, even another protocol's. For addresses that no stranger chose. */
  readonly anyPort?: boolean | undefined
  /** Certificate authorities (PEM) to trust in addition to the system's, for private installations. */
  readonly ca?: readonly string[] | undefined
}

class GuardedOutbound implements StreamingOutbound {
  readonly #checks: AddressChecks
  readonly #limits: OutboundLimits
  readonly #log: Log
  readonly #ca: readonly string[]
  readonly #anyPort: boolean
  readonly #closing = new AbortController()
  readonly #running = new Set<OutboundCall>()
  #trusted: SecureContext | undefined

  constructor(parts: OutboundParts) {
    const {
      resolver,
      log = silentLog,
      limits,
      ca = [],
      anyPort = false,
      own = ownAddresses,
      ...ranges
    } = parts
    this.#checks = { resolver, rules: new AddressRules({ ...ranges, own }) }
    this.#limits = { ...OUTBOUND_LIMITS, ...limits }
    this.#log = log
    this.#ca = ca
    this.#anyPort = anyPort
  }

  async request(url: string, request: OutboundRequest = {}): Promise<OutboundAnswer> {
    const answer = await this.stream(url, request)
    if (!answer.ok) return answer
    const { status, headers } = answer
    try {
      return { ok: true, status, headers, body: await wholeOf(answer.body) }
    } catch (error) {
      if (error instanceof OutboundRefused) return { ok: false, refusal: error.refusal }
      throw error
    }
  }

  async stream(url: string, request: OutboundRequest = {}): Promise<OutboundStream> {
    const message = messageOf(request)
    const call = this.#begin(request)
    try {
      const received = await this.#follow(url, message, call)
      call.hold(received)
      const { status, headers } = received
      const body = this.#bodyOf(received, call)
      return { ok: true, status, headers, body, [Symbol.asyncDispose]: () => call.end() }
    } catch (error) {
      await call.end()
      return { ok: false, refusal: this.#refusalOf(error, call) }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#running].map(({ over }) => over))
  }

  #begin({ signal, plainHttp = false, ...caps }: OutboundRequest): OutboundCall {
    const ends = signal ? [this.#closing.signal, signal] : [this.#closing.signal]
    const call = new OutboundCall({ limits: limitsOf(this.#limits, caps), plainHttp, ends })
    this.#running.add(call)
    void call.over.then(() => this.#running.delete(call))
    return call
  }

  async *#bodyOf({ body }: Received, call: OutboundCall): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      throw new OutboundRefused(this.#refusalOf(error, call))
    } finally {
      await call.end()
    }
  }

  /** Returns and logs the reason why a call failed; rethrows an error of our own code. */
  #refusalOf(error: unknown, { host, deadline: { signal } }: OutboundCall): OutboundRefusal {
    // After the deadline, other errors are its consequences.
    const refusal = refusalOf(signal.aborted ? signal.reason : error)
    if (!refusal) throw error
    const code = error instanceof OutboundRefused ? error.cause : codeOf(error)
    // A cancelled call is not logged: its caller knows the reason.
    if (refusal !== 'cancelled') {
      this.#log.warn({ refusal, host, code }, 'an outgoing request was refused')
    }
    return refusal
  }

  async #follow(url: string, first: Message, call: OutboundCall): Promise<Received> {
    const { plainHttp, limits } = call
    const reading = { plainHttp, anyPort: this.#anyPort }
    let target = readTarget(url, reading)
    let message = first
    for (let hops = 0; ; hops++) {
      call.visit(target)
      const received = await this.#hop(target, message, call)
      const location = redirectOf(received)
      if (location === undefined) return received
      await received.close()
      if (hops >= limits.maxRedirects) throw new OutboundRefused('redirect')
      const next = readTarget(location, { ...reading, base: target.url })
      message = messageAfter(message, received.status, target, next)
      target = next
    }
  }

  async #hop(target: Target, message: Message, { limits, deadline }: OutboundCall): Promise<Received> {
    deadline.step(limits.resolveMs)
    const addresses = await checkedAddresses(target, this.#checks, deadline)
    deadline.step(limits.connectMs)
    const { connectMs } = limits
    const trust = () => this.#trust()
    const socket = await openSocket(target, { addresses, connectMs, trust, signal: deadline.signal })
    return exchange({ socket, target, message, limits }, deadline)
  }

  /**
   * Returns the trusted authorities. They are read at the first call that needs them, since the system's list
   * takes some 50 to 100 ms.
   */
  #trust(): SecureContext {
    this.#trusted ??= createSecureContext({
      ca: [...getCACertificates(), ...this.#ca],
      minVersion: 'TLSv1.2',
    })
    return this.#trusted
  }
}

/** Returns an outbound client. Disposing of it ends current and later calls as `cancelled`. */
export function createOutbound(parts: OutboundParts): StreamingOutbound {
  return new GuardedOutbound(parts)
}
