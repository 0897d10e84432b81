import { hash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { RateCounter } from './rate-counter.ts'
import { judge, type RateCount, type RateLimit, type RateVerdict } from './rate-limit.ts'

/** Reads of alerts, per license and minute. */
const ALERT_READS = 120
/**
 * Actions on alerts, per license and minute. Each names at most a hundred alerts, and adds a line to the
 * record of each alert that it changes.
 */
const ALERT_ACTIONS = 30

/**
 * Requests a minute to the agent routes (spec, Limits). The spec has no figure for `cancel`, so it gets that
 * of `status`.
 */
const AGENT_LIMITS = {
  /** Per client address. */
  activate: 10,
  /** Per license, as every limit below. */
  heartbeat: 30,
  claim: 60,
  status: 120,
  logs: 240,
  cancel: 120,
  'alert-read': ALERT_READS,
  'alert-act': ALERT_ACTIONS,
} as const

/** Limits that a gate can apply. */
export type RateLimitName =
  | keyof typeof AGENT_LIMITS
  | 'login-per-ip'
  | 'login-per-account'
  | 'chat-per-ip'
  | 'chat-global'
  | 'chat-read'
  | 'refused-operations'
  | 'bad-key'
  | 'secret-guess'

/** The two limits of the public chat, in requests a minute: `config.chat` has this shape. */
export interface ChatLimits {
  readonly perIpPerMinute: number
  readonly globalPerMinute: number
}

/** Sign-ins per client address and minute. */
const LOGINS_PER_IP = 5
/** Sign-ins per account in `LOGIN_ACCOUNT_SECONDS`. */
const LOGINS_PER_ACCOUNT = 10
const LOGIN_ACCOUNT_SECONDS = 900

/** Reads of human replies, per client address and minute (wire: Chat). */
const CHAT_READS_PER_IP = 60

/** Refused operations that the audit log records, per person and minute. */
const REFUSED_OPERATIONS = 30
/** Bad license keys per client address and minute. All hosts behind one address may have such a key. */
const BAD_KEYS_PER_IP = 120
/** Tries a minute at a secret of the settings, per address that never sent the right one. */
const GUESSES_PER_IP = 10

/** Multiple of an IPv6 /64's limit that passes for the /48 around it. */
const SITE_FACTOR = 10

/** Length of 16 bytes in base64url. */
const SUBJECT_CHARS = 22
const MINUTE_SECONDS = 60

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

/** The named limits of the service, each counted per subject in a fixed window. */
export class RateLimits {
  readonly #counter: RateCounter
  readonly #clock: Clock
  readonly #limits: Readonly<Record<RateLimitName, RateLimit>>
  readonly #refused: ((licenseId: string) => void) | undefined

  constructor(parts: {
    readonly counter: RateCounter
    readonly clock: Clock
    readonly chat: ChatLimits
    /** Called with each license that a per-license limit refused. Must neither fail nor delay the answer. */
    readonly refused?: (licenseId: string) => void
  }) {
    this.#counter = parts.counter
    this.#clock = parts.clock
    this.#limits = limitsOf(parts.chat)
    this.#refused = parts.refused
  }

  /** The counter's backend, for the metric. */
  get backend(): RateCounter['backend'] {
    return this.#counter.backend
  }

  /**
   * Counts one request of `subject` (a license, an account; any constant for a global limit) and returns
   * whether it passes. Ask before doing work, and only for known subjects: an unknown key must not open a
   * window. A counter in memory answers without a promise, so that the body of a request is read as it
   * arrives.
   */
  take(name: RateLimitName, subject: string): RateVerdict | Promise<RateVerdict> {
    const isLicense = isPerLicense(name)
    const counted = isLicense ? subject : subjectDigest(subject)
    return this.#take(this.#limits[name], counted, ({ allowed }) => {
      if (!allowed && isLicense) this.#refused?.(subject)
    })
  }

  /**
   * Counts one request of a client's networks. A request that passes in its own network also counts in the
   * site around it, if there is one, at ten times the limit.
   */
  takeByNetworks(name: RateLimitName, { own, site }: Networks): RateVerdict | Promise<RateVerdict> {
    const verdict = this.take(name, own)
    if (site === undefined) return verdict
    const around = (near: RateVerdict) =>
      near.allowed ? this.#take(aroundSite(this.#limits[name]), subjectDigest(site)) : near
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

const isPerLicense = (name: RateLimitName): boolean =>
  name !== 'activate' && Object.hasOwn(AGENT_LIMITS, name)

function limitsOf(chat: ChatLimits): Readonly<Record<RateLimitName, RateLimit>> {
  const perMinute = (name: RateLimitName, limit: number) => ({ name, limit, windowSeconds: MINUTE_SECONDS })
  return {
    activate: perMinute('activate', AGENT_LIMITS.activate),
    heartbeat: perMinute('heartbeat', AGENT_LIMITS.heartbeat),
    claim: perMinute('claim', AGENT_LIMITS.claim),
    status: perMinute('status', AGENT_LIMITS.status),
    logs: perMinute('logs', AGENT_LIMITS.logs),
    cancel: perMinute('cancel', AGENT_LIMITS.cancel),
    'alert-read': perMinute('alert-read', ALERT_READS),
    'alert-act': perMinute('alert-act', ALERT_ACTIONS),
    'login-per-ip': perMinute('login-per-ip', LOGINS_PER_IP),
    'login-per-account': {
      name: 'login-per-account',
      limit: LOGINS_PER_ACCOUNT,
      windowSeconds: LOGIN_ACCOUNT_SECONDS,
    },
    'chat-per-ip': perMinute('chat-per-ip', chat.perIpPerMinute),
    'chat-global': perMinute('chat-global', chat.globalPerMinute),
    'chat-read': perMinute('chat-read', CHAT_READS_PER_IP),
    'refused-operations': perMinute('refused-operations', REFUSED_OPERATIONS),
    'bad-key': perMinute('bad-key', BAD_KEYS_PER_IP),
    'secret-guess': perMinute('secret-guess', GUESSES_PER_IP),
  }
}
