import { hash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { RateCounter } from './rate-counter.ts'
import { judge, type RateCount, type RateLimit, type RateVerdict } from './rate-limit.ts'

/** Looks at the alerts of a license a minute. */
const ALERT_READS = 120
/**
 * Actions on them a minute. Each names a hundred alerts at most, and leaves a line in the record of those
 * that it changes.
 */
const ALERT_ACTIONS = 30

/**
 * Requests a minute of the agent routes (spec, Limits); `cancel` has no figure there and gets that of
 * `status`.
 */
const AGENT_LIMITS = {
  /** Per client address. */
  activate: 10,
  /** Per license key, as those below. */
  heartbeat: 30,
  claim: 60,
  status: 120,
  logs: 240,
  cancel: 120,
  'alert-read': ALERT_READS,
  'alert-act': ALERT_ACTIONS,
} as const

/** The limits that a gate can ask for. */
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

/** The two limits of the public chat, requests a minute: `config.chat` has this shape. */
export interface ChatLimits {
  readonly perIpPerMinute: number
  readonly globalPerMinute: number
}

/** Sign-ins a minute and client address. */
const LOGINS_PER_IP = 5
/** Sign-ins a quarter of an hour and account. */
const LOGINS_PER_ACCOUNT = 10
const LOGIN_ACCOUNT_SECONDS = 900

/** Looks for human replies a minute and client address (wire: Chat). */
const CHAT_READS_PER_IP = 60

/** Rows a minute and person that the audit log keeps of operations they may not run. */
const REFUSED_OPERATIONS = 30
/**
 * License keys a minute and client address that are not good. Hosts behind one address may all have such a
 * one.
 */
const BAD_KEYS_PER_IP = 120
/** Tries a minute at a secret of the settings, of an address from which it never came. */
const GUESSES_PER_IP = 10

/** Times a limit of an IPv6 /64 that passes for the /48 around it. */
const SITE_FACTOR = 10

/** 16 bytes in base64url. */
const SUBJECT_CHARS = 22
const MINUTE_SECONDS = 60

/**
 * The 16-byte digest, base64url, under which whoever has no id here is counted: addresses and emails are kept
 * nowhere.
 */
export const subjectDigest = (subject: string): string =>
  hash('sha256', subject, 'base64url').slice(0, SUBJECT_CHARS)

/** The networks of an address: of IPv6 its /64 and the /48 around that. */
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
    /**
     * Told each license whose request a per-license limit refused. Must neither fail nor keep the answer
     * waiting.
     */
    readonly refused?: (licenseId: string) => void
  }) {
    this.#counter = parts.counter
    this.#clock = parts.clock
    this.#limits = limitsOf(parts.chat)
    this.#refused = parts.refused
  }

  /** Where the windows are counted, for the metric. */
  get backend(): RateCounter['backend'] {
    return this.#counter.backend
  }

  /**
   * Counts one request of `subject` (a license, an account; any constant for a global limit) and says whether
   * it passes. Ask before doing work, and ask only for subjects that are known: an unknown key must not open
   * a window. Windows in memory answer at once: a request that waits for nothing has its body read as it
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
   * The same for the networks of a client's address: what passes in its own counts in the one around it too,
   * where there is one, at ten times the limit.
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
    const count = this.#counter.count(limit, counted, this.#clock.forStores())
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
