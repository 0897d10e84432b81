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
/** Of an address: no license is told of it. */
const PER_ADDRESS = 'activate'

/** How a database that does not answer is told, with HTTP and without. */
const UNAVAILABLE = ['service unavailable', 'unavailable']

interface Window {
  readonly startMs: number
  count: number
}

/**
 * Fixed windows of a minute per subject, in the memory of one replica: exactly the documented number pass.
 */
export class RateCheck {
  readonly #verdict: Verdict
  readonly #tallies = new Map<Life, Tally>()
  #refused = 0

  constructor(verdict: Verdict) {
    this.#verdict = verdict
  }

  /** Requests that were over the limit of a license, in all replicas. */
  get refused(): number {
    return this.#refused
  }

  /** `counter`, held to a count of its own. */
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

  /** `endpoint`, with its refusals counted. */
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
   * At the end of a run: what was over the limit was refused, by 429 or as its key was bad or not known to be
   * good by then.
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
  /** Answered 401, which comes first, or 503 as the database did not say whether the key is good. */
  denied: number
  /** Requests under way. */
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
