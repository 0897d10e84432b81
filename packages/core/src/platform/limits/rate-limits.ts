import { hash } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { RateCounter } from './rate-counter.ts'

/**
 * Requests of one subject that pass in a window. The window opens with the subject's first request and has a
 * fixed length.
 */
export interface RateLimit {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
}

/** The state of a subject's window after a request was counted. */
export interface RateCount {
  /** Requests of the subject in its open window, this one included. */
  readonly count: number
  /** Milliseconds until the window ends, more than 0. */
  readonly windowLeftMs: number
}

/** The verdict on one request. */
export interface RateVerdict {
  readonly allowed: boolean
  /** Whole seconds until the window ends, rounded up, at least 1: the value of `Retry-After`. */
  readonly retryAfterSeconds: number
  /** Requests that still pass in this window. */
  readonly remaining: number
  /**
   * Whether the subject keeps asking far beyond its limit, as no client does that heeds refusals; its answers
   * may be delayed.
   */
  readonly isFlooding: boolean
}

/** Multiple of the limit above which a subject floods. */
const FLOOD_FACTOR = 4

/** Judges a counted request: the first `limit` of a window pass; refused requests count too. */
export function judge(limit: RateLimit, { count, windowLeftMs }: RateCount): RateVerdict {
  return {
    allowed: count <= limit.limit,
    retryAfterSeconds: Math.max(1, Math.ceil(windowLeftMs / 1000)),
    remaining: Math.max(0, limit.limit - count),
    isFlooding: count > FLOOD_FACTOR * limit.limit,
  }
}

/** Multiple of an IPv6 /64's limit that passes for the /48 around it. */
const SITE_FACTOR = 10

/** Length of 16 bytes in base64url. */
const SUBJECT_CHARS = 22

/**
 * Returns the 16-byte digest, base64url, under which a subject without an id here is counted: addresses and
 * emails are stored nowhere.
 */
export const subjectDigest = (subject: string): string =>
  hash('sha256', subject, 'base64url').slice(0, SUBJECT_CHARS)

/** The networks of an address: for IPv6 its /64 and the /48 around that. */
interface Networks {
  readonly own: string
  readonly site: string | undefined
}

/** Counts requests against limits that routes and services declare, per subject in fixed windows. */
export class RateLimits {
  readonly #counter: RateCounter
  readonly #clock: Clock
  readonly #refused: ((licenseId: string) => void) | undefined

  constructor(parts: {
    readonly counter: RateCounter
    readonly clock: Clock
    /** Called with each license that a per-license limit refused. Must neither fail nor delay the answer. */
    readonly refused?: (licenseId: string) => void
  }) {
    this.#counter = parts.counter
    this.#clock = parts.clock
    this.#refused = parts.refused
  }

  /** The counter's backend, for the metric. */
  get backend(): RateCounter['backend'] {
    return this.#counter.backend
  }

  /**
   * Counts one request of `subject` (an address, an account; any constant for a global limit) and returns
   * whether it passes. Ask before doing work, and only for known subjects: an unknown key must not open a
   * window. A counter in memory answers without a promise, so that the body of a request is read as it
   * arrives. Limits of one name share their windows.
   */
  take(limit: RateLimit, subject: string): RateVerdict | Promise<RateVerdict> {
    return this.#take(limit, subjectDigest(subject))
  }

  /** Counts one request of a license, as `take` does; a refused one counts for the alerts of the license. */
  takeByLicense(limit: RateLimit, licenseId: string): RateVerdict | Promise<RateVerdict> {
    return this.#take(limit, licenseId, ({ allowed }) => {
      if (!allowed) this.#refused?.(licenseId)
    })
  }

  /**
   * Counts one request of a client's networks. A request that passes in its own network also counts in the
   * site around it, if there is one, at ten times the limit.
   */
  takeByNetworks(limit: RateLimit, { own, site }: Networks): RateVerdict | Promise<RateVerdict> {
    const verdict = this.take(limit, own)
    if (site === undefined) return verdict
    const around = (near: RateVerdict) =>
      near.allowed ? this.#take(aroundSite(limit), subjectDigest(site)) : near
    return verdict instanceof Promise ? verdict.then(around) : around(verdict)
  }

  #take(
    limit: RateLimit,
    counted: string,
    tell: (verdict: RateVerdict) => void = () => {},
  ): RateVerdict | Promise<RateVerdict> {
    const judged = (count: RateCount) => {
      const verdict = judge(limit, count)
      tell(verdict)
      return verdict
    }
    const count = this.#counter.count(limit, counted, this.#clock.statementTime())
    return count instanceof Promise ? count.then(judged) : judged(count)
  }
}

const aroundSite = ({ name, limit, windowSeconds }: RateLimit): RateLimit => ({
  name: `${name}/48`,
  limit: SITE_FACTOR * limit,
  windowSeconds,
})
