import { ACCESS_MODES, type Clock } from '@svc/core'
import { claimRequest } from '@svc/core/adapters'
import type { Answer, HttpClient } from '../../connect/http-client.ts'
import type { AgentTiming } from '../agent-options.ts'
import { backoff, pause } from '../pause.ts'
import type { ClaimedJob } from '../run/claimed-job.ts'

/** A host's report on a job (spec, Job status request). Absent facts are omitted, never null. */
export interface StatusReport {
  readonly state: 'pending' | 'running' | 'succeeded' | 'failed'
  readonly exit_code?: number
  readonly error?: string
}

/** The key of this host, which proves its requests. */
export interface HostKey {
  headers(fingerprint: string, request?: string): Readonly<Record<string, string>>
}

/** Limits and callbacks of a repeated exchange. */
export interface Patience {
  /** Aborts the wait between tries and the try under way. */
  readonly signal: AbortSignal
  /** Names further answers that are final. */
  readonly isFinal?: (answer: Answer) => boolean
  /** Called before each wait with the answer that was not final. */
  readonly onRetry?: (answer: Answer) => void
}

/** Longest `Retry-After` that is honoured, in milliseconds. */
const MAX_RETRY_AFTER_MS = 10 * 60_000

/** The routes of the agent wire, as one host of one license calls them. */
export class AgentApi {
  readonly #http: HttpClient
  readonly #identity: { readonly licenseKey: string; readonly fingerprint: string }
  readonly #timing: AgentTiming
  readonly #clock: Clock

  constructor(
    http: HttpClient,
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

  /**
   * POST /v1/jobs/claim. The same `intent` gets the same job until something was reported on that job. `work`
   * says which kinds of jobs this host runs, and how many at a time. With `waitSeconds` the plane may let the
   * claim wait for a job; `key` opens the variables of apps.
   */
  claim(
    intent: string | undefined,
    work: { readonly kinds: readonly string[]; readonly concurrency: number },
    signal: AbortSignal,
    {
      waitSeconds,
      key,
    }: { readonly waitSeconds?: number | undefined; readonly key?: HostKey | undefined } = {},
  ): Promise<Answer> {
    const { fingerprint } = this.#identity
    const headers = {
      ...(intent === undefined ? {} : key?.headers(fingerprint, claimRequest(intent))),
      ...(intent === undefined ? {} : { 'idempotency-key': intent }),
      ...(waitSeconds === undefined ? {} : { prefer: `wait=${waitSeconds}` }),
    }
    return this.#post('/v1/jobs/claim', work, signal, headers, 1000 * (waitSeconds ?? 0))
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

  /** POST /api/v1/images/register. */
  registerImage(registration: object, signal: AbortSignal): Promise<Answer> {
    return this.#post('/api/v1/images/register', registration, signal)
  }

  /** POST /api/v1/transfer/keys, as the peer that listens. */
  redeemTransferKey(key: string, peerFingerprint: string, signal: AbortSignal): Promise<Answer> {
    const facts = { action: 'redeem', key, peer_fingerprint: peerFingerprint }
    return this.#post('/api/v1/transfer/keys', facts, signal)
  }

  /** GET /api/v1/node/security: the wished settings of this host. */
  nodeSecurity(signal: AbortSignal): Promise<Answer> {
    const { licenseKey, fingerprint } = this.#identity
    const path = `/api/v1/node/security?fingerprint=${encodeURIComponent(fingerprint)}`
    return this.#http.send(
      { method: 'GET', path, headers: { authorization: `Bearer ${licenseKey}` } },
      signal,
    )
  }

  /** GET /api/v1/access/pending: waits for sessions of the kinds that this host knows, and proves its key. */
  pending(waitSeconds: number, key: HostKey, signal: AbortSignal): Promise<Answer> {
    const { fingerprint, licenseKey } = this.#identity
    const modes = ACCESS_MODES.join(',')
    const query = new URLSearchParams({ fingerprint, wait: String(waitSeconds), modes })
    const headers = { ...key.headers(fingerprint), authorization: `Bearer ${licenseKey}` }
    return this.#http.send({ method: 'GET', path: `/api/v1/access/pending?${query}`, headers }, signal)
  }

  /** GET /.well-known/jwks.json. Sent without the license key: the keys are public. */
  jwks(signal: AbortSignal): Promise<Answer> {
    return this.#http.send({ method: 'GET', path: '/.well-known/jwks.json' }, signal)
  }

  /**
   * Repeats an exchange until its answer is final. No connection, 401, 408, 429 and 5xx are tried again,
   * after `Retry-After` or a growing backoff. 401 is among them because a suspended license may be reinstated
   * while a job runs. Returns the last answer when `patience` ends first.
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

  /**
   * Returns the wait after `answer`, in milliseconds: its `Retry-After`, else a backoff that grows with
   * `tries`.
   */
  retryMs(answer: Answer, tries: number): number {
    const { retryFloorMs, retryCeilingMs } = this.#timing
    const asked = this.#retryAfterMs(answer.header('retry-after'))
    // A random extra wait spreads the hosts, because the limit opens for all of them at once.
    return asked === undefined ? backoff(tries, retryFloorMs, retryCeilingMs) : asked + Math.random() * 250
  }

  #retryAfterMs(value: string | undefined): number | undefined {
    if (value === undefined) return undefined
    const asked = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - this.#clock.now().getTime()
    return Number.isFinite(asked) ? Math.min(Math.max(asked, 0), MAX_RETRY_AFTER_MS) : undefined
  }

  #post(path: string, facts: object, signal: AbortSignal, headers = {}, waitMs = 0): Promise<Answer> {
    const body = JSON.stringify({ fingerprint: this.#identity.fingerprint, ...facts })
    return this.#send(path, body, signal, headers, waitMs)
  }

  #send(path: string, body: string, signal: AbortSignal, headers = {}, waitMs = 0): Promise<Answer> {
    const authorization = `Bearer ${this.#identity.licenseKey}`
    const call = { method: 'POST', path, body, headers: { ...headers, authorization }, waitMs }
    return this.#http.send(call, signal)
  }
}

const pathOf = (job: ClaimedJob): string => `/v1/jobs/${encodeURIComponent(job.id)}`

/** Whether a later try of the same exchange may be answered differently. */
export const isPassing = ({ status }: Answer): boolean =>
  status === 0 || status === 401 || status === 408 || status === 429 || status >= 500
