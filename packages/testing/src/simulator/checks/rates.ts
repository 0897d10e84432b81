import type { Clock, RateCounter } from '@svc/core'
import type { Life } from '../life.ts'
import type { Verdict } from '../verdict.ts'
import type { Endpoint, WireAnswer, WireRequest } from '../wire.ts'

/** Requests a minute, as documented (spec, Limits; cancel as status). */
const DOCUMENTED: Readonly<Record<string, number>> = {
  activate: 10,
  heartbeat: 30,
  claim: 60,
  status: 120,
  logs: 240,
  cancel: 120,
}

const MINUTE_MS = 60_000
/** The limit that counts per address, so its refusals belong to no license. */
const PER_ADDRESS = 'activate'

/** The errors that say that the database does not answer, with HTTP and without. */
const UNAVAILABLE = ['service unavailable', 'unavailable']

interface Window {
  readonly startMs: number
  count: number
}

/**
 * Checks fixed windows of a minute per subject in the memory of one replica: exactly the documented number of
 * requests pass.
 */
export class RateCheck {
  readonly #verdict: Verdict
  readonly #tallies = new Map<Life, Tally>()
  #refused = 0

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** The number of requests over the limit of a license, in all replicas. */
  get refused(): number {
    return this.#refused
  }

  /** Returns `counter`, compared with a count of our own. */
  counter(life: Life, counter: RateCounter, clock: Clock): RateCounter {
    const windows = new Map<string, Window>()
    const tally = { due: 0, given: 0, denied: 0, open: 0 }
    this.#tallies.set(life, tally)
    return {
      backend: counter.backend,
      count: async (limit, subject, now) => {
        const nowMs = clock.now().getTime()
        const counted = await counter.count(limit, subject, now)
        const expected = countIn(windows, `${limit.name} ${subject}`, nowMs)
        if (expected > (DOCUMENTED[limit.name] ?? limit.limit)) {
          tally.due += 1
          if (limit.name !== PER_ADDRESS) this.#refused += 1
        }
        this.#verdict.expect(counted.count === expected, 'rate count', () => {
          return `request ${expected} of a window of ${limit.name} was counted as ${counted.count}`
        })
        return counted
      },
    }
  }

  /** Returns `endpoint`, with its refusals counted. */
  watched(life: Life, endpoint: Endpoint): Endpoint {
    return async (request) => {
      const tally = this.#tallies.get(life)
      if (tally !== undefined) tally.open += 1
      const answer = await endpoint(request)
      if (tally !== undefined) this.#answered(tally, request, answer)
      return answer
    }
  }

  #answered(tally: Tally, { path }: WireRequest, { status, headers, body }: WireAnswer): void {
    tally.open -= 1
    if (status === 401 || (status === 503 && UNAVAILABLE.includes(String(body.error)))) tally.denied += 1
    if (status !== 429) return
    tally.given += 1
    const seconds = Number(headers['Retry-After'])
    this.#verdict.expect(seconds >= 1 && seconds <= 60, 'rate refusal', () => {
      return `429 on ${path} said Retry-After: ${headers['Retry-After']}`
    })
  }

  /**
   * Checks, at the end of a run, that requests over a limit were refused: by 429, or because their key was
   * bad or could not be verified.
   */
  end(): void {
    for (const { due, given, denied, open } of this.#tallies.values()) {
      const detail = () =>
        `${due} requests were over a documented limit and ${given} were refused, ${open} unanswered`
      this.#verdict.expect(given <= due && due <= given + denied + open, 'rate refusal', detail)
    }
  }
}

/** Refusals of one life of a replica. */
interface Tally {
  due: number
  given: number
  /** Requests answered 401, which comes before 429, or 503 because the database could not verify the key. */
  denied: number
  /** The number of requests under way. */
  open: number
}

function countIn(windows: Map<string, Window>, key: string, nowMs: number): number {
  const known = windows.get(key)
  const isOpen = known !== undefined && known.startMs <= nowMs && nowMs < known.startMs + MINUTE_MS
  const window = isOpen ? known : { startMs: nowMs, count: 0 }
  windows.set(key, window)
  window.count += 1
  return window.count
}
