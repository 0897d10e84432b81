import type { Clock } from '@svc/core'
import type { AgentTiming } from '../agent-options.ts'
import { backoff, pause } from '../pause.ts'
import type { ClaimedJob } from '../run/claimed-job.ts'
import type { Answer, HttpExchange } from './http-exchange.ts'

/** What a host may say about a job (spec, Job status request). Absent facts are omitted, never null. */
export interface StatusReport {
  readonly state: 'pending' | 'running' | 'succeeded' | 'failed'
  readonly exit_code?: number
  readonly error?: string
}

/** How long an exchange is repeated. */
export interface Patience {
  /** Ends the wait between tries and the try under way. */
  readonly signal: AbortSignal
  /** Overrules what counts as an answer for good. */
  readonly isFinal?: (answer: Answer) => boolean
  /** Called before each wait, with the answer that was no answer. */
  readonly onRetry?: (answer: Answer) => void
}

/** Longest `Retry-After` that is believed, in milliseconds. */
const MAX_RETRY_AFTER_MS = 10 * 60_000

/** The routes of the agent wire, as one host of one license calls them. */
export class AgentApi {
  readonly #http: HttpExchange
  readonly #identity: { readonly licenseKey: string; readonly fingerprint: string }
  readonly #timing: AgentTiming
  readonly #clock: Clock

  constructor(
    http: HttpExchange,
    identity: { readonly licenseKey: string; readonly fingerprint: string },
    timing: AgentTiming,
    clock: Clock,
  ) {
    this.#http = http
    this.#identity = identity
    this.#timing = timing
    this.#clock = clock
  }

  /** POST /v1/license/activate. */
  activate(hostname: string, signal: AbortSignal): Promise<Answer> {
    return this.#post('/v1/license/activate', { hostname }, signal)
  }

  /** POST /v1/telemetry/heartbeat. */
  heartbeat(facts: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Answer> {
    return this.#post('/v1/telemetry/heartbeat', facts, signal)
  }

  /** POST /v1/jobs/claim. The same `intent` gets the same job as long as nothing was reported on it. */
  claim(intent: string, signal: AbortSignal): Promise<Answer> {
    return this.#post('/v1/jobs/claim', {}, signal, { 'idempotency-key': intent })
  }

  /** POST /v1/jobs/{id}/status. */
  status(job: ClaimedJob, report: StatusReport, signal: AbortSignal): Promise<Answer> {
    return this.#post(`${pathOf(job)}/status`, { attempt: job.attempt, ...report }, signal)
  }

  /**
   * POST /v1/jobs/{id}/logs. `lines` are JSON texts of `{ ts, line }`; `offset` counts from the attempt's
   * first line.
   */
  logs(job: ClaimedJob, offset: number, lines: readonly string[], signal: AbortSignal): Promise<Answer> {
    const head = JSON.stringify({ fingerprint: this.#identity.fingerprint, attempt: job.attempt, offset })
    const body = `${head.slice(0, -1)},"lines":[${lines.join(',')}]}`
    return this.#send(`${pathOf(job)}/logs`, body, signal)
  }

  /** GET /.well-known/jwks.json. Sent without the license key: the keys are public. */
  jwks(signal: AbortSignal): Promise<Answer> {
    return this.#http.send({ method: 'GET', path: '/.well-known/jwks.json' }, signal)
  }

  /**
   * Repeats an exchange until it is answered for good: no connection, 401, 408, 429 and 5xx are tried again,
   * after `Retry-After` or a growing wait. 401 is among them because a suspended license may be reinstated
   * while a job runs. Gives the last answer when `patience` ends first.
   */
  async insist(exchange: (signal: AbortSignal) => Promise<Answer>, patience: Patience): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      const answer = await exchange(patience.signal)
      const settled = !isPassing(answer) || patience.isFinal?.(answer)
      if (settled || patience.signal.aborted) return answer
      patience.onRetry?.(answer)
      if (!(await pause(this.retryMs(answer, tries), patience.signal))) return answer
    }
  }

  /** How long to wait after `answer`, in milliseconds: what it asks for, else more with each of `tries`. */
  retryMs(answer: Answer, tries: number): number {
    const { retryFloorMs, retryCeilingMs } = this.#timing
    const asked = this.#retryAfterMs(answer.header('retry-after'))
    // A little more than asked, and not all hosts at the same instant: the window opens for everybody at
    // once.
    return asked === undefined ? backoff(tries, retryFloorMs, retryCeilingMs) : asked + Math.random() * 250
  }

  #retryAfterMs(value: string | undefined): number | undefined {
    if (value === undefined) return undefined
    const asked = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - this.#clock.now().getTime()
    return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), MAX_RETRY_AFTER_MS) : undefined
  }

  #post(path: string, facts: object, signal: AbortSignal, headers = {}): Promise<Answer> {
    const body = JSON.stringify({ fingerprint: this.#identity.fingerprint, ...facts })
    return this.#send(path, body, signal, headers)
  }

  #send(path: string, body: string, signal: AbortSignal, headers = {}): Promise<Answer> {
    const authorization = `Bearer ${this.#identity.licenseKey}`
    return this.#http.send({ method: 'POST', path, body, headers: { ...headers, authorization } }, signal)
  }
}

const pathOf = (job: ClaimedJob): string => `/v1/jobs/${encodeURIComponent(job.id)}`

/** Whether the same exchange may be answered otherwise later. */
export const isPassing = ({ status }: Answer): boolean =>
  status === 0 || status === 401 || status === 408 || status === 429 || status >= 500
