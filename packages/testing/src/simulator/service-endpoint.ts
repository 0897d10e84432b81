import {
  type ControlPlane,
  isHeld,
  isTerminal,
  type Job,
  type JobState,
  type LogLine,
  ofLicense,
  Problem,
  type ProblemCode,
  type RateLimit,
  type RateVerdict,
} from '@svc/core'
import { claimedJobView } from '@svc/core/adapters'
import type { Claim } from '@svc/core/ports'
import { type Endpoint, jobPath, type WireAnswer, type WireRequest } from './wire.ts'

const STATUS: Partial<Record<ProblemCode, number>> = {
  unauthorized: 401,
  forbidden: 403,
  'license-rejected': 403,
  'license-key-required': 400,
  'invalid-input': 400,
  'job-not-owned': 404,
  'job-not-found': 404,
  'not-found': 404,
  'rate-limited': 429,
  'too-many-hosts': 429,
  'relay-not-configured': 503,
  'agent-not-owned': 404,
  'agent-key-mismatch': 403,
  unavailable: 503,
  'signing-not-configured': 503,
  'secrets-not-configured': 503,
}

const answer = (
  status: number,
  body: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): WireAnswer => ({ status, headers, body })

/**
 * Returns the agent API directly over the services of a plane: the messages of the wire contract without
 * HTTP.
 */
export function serviceEndpoint(plane: ControlPlane): Endpoint {
  return async (request) => {
    try {
      return await route(plane, request)
    } catch (error) {
      if (!(error instanceof Problem)) return answer(500, { error: String(error) })
      const { retryAfterSeconds } = error.data
      const headers: Record<string, string> =
        retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
      return answer(STATUS[error.code] ?? 500, { error: error.code }, headers)
    }
  }
}

function route(plane: ControlPlane, request: WireRequest): Promise<WireAnswer> {
  const job = jobPath(request.path)
  if (request.path === '/v1/license/activate') return activate(plane, request)
  if (request.path === '/v1/telemetry/heartbeat') return heartbeat(plane, request)
  if (request.path === '/v1/jobs/claim') return claim(plane, request)
  if (job?.verb === 'status') return status(plane, request, job.id)
  if (job?.verb === 'logs') return logs(plane, request, job.id)
  if (job?.verb === 'cancel') return cancel(plane, request, job.id)
  throw new Problem('not-found')
}

const perMinute = (name: string, limit: number): RateLimit => ({ name, limit, windowSeconds: 60 })
const LIMITS = {
  activate: perMinute('activate', 10),
  heartbeat: perMinute('heartbeat', 30),
  claim: perMinute('claim', 60),
  status: perMinute('status', 120),
  logs: perMinute('logs', 240),
  cancel: perMinute('cancel', 120),
} as const

function requireAllowed({ allowed, retryAfterSeconds }: RateVerdict): void {
  if (!allowed) throw new Problem('rate-limited', { retryAfterSeconds })
}

async function admit(plane: ControlPlane, { key }: WireRequest, limit: RateLimit): Promise<string> {
  const licensee = await plane.licenses.validate(key)
  if (licensee === undefined) throw new Problem('unauthorized')
  requireAllowed(await plane.limits.takeByLicense(limit, licensee.licenseId))
  return licensee.licenseId
}

function optional<T>(body: WireRequest['body'], name: string, type: 'string' | 'number'): T | undefined {
  const value = body[name]
  if (value !== undefined && typeof value !== type) throw new Problem('invalid-input')
  return value as T | undefined
}

function fingerprintOf({ body }: WireRequest): string {
  const fingerprint = optional<string>(body, 'fingerprint', 'string')
  if (fingerprint === undefined || fingerprint === '') throw new Problem('invalid-input')
  return fingerprint
}

async function activate(plane: ControlPlane, request: WireRequest): Promise<WireAnswer> {
  requireAllowed(await plane.limits.take(LIMITS.activate, request.address))
  const fingerprint = optional<string>(request.body, 'fingerprint', 'string')
  return answer(200, { ...(await plane.licenses.activate({ key: request.key, fingerprint })) })
}

async function heartbeat(plane: ControlPlane, request: WireRequest): Promise<WireAnswer> {
  const licenseId = await admit(plane, request, LIMITS.heartbeat)
  const { body } = request
  const told = await plane.agents.heartbeat({
    licenseId,
    fingerprint: fingerprintOf(request),
    hostname: optional(body, 'hostname', 'string'),
    version: optional(body, 'version', 'string'),
    state: optional(body, 'state', 'string'),
    bootId: optional(body, 'boot_id', 'string'),
    cpuPct: optional(body, 'cpu_pct', 'number'),
    memPct: optional(body, 'mem_pct', 'number'),
    diskPct: optional(body, 'disk_pct', 'number'),
    diskTotalGb: optional(body, 'disk_total_gb', 'number'),
    lastCaptureAt: undefined,
    captureSuccess: undefined,
    lastDrillAt: undefined,
    drillPass: undefined,
    jobs: (body.jobs ?? []) as readonly { id: string; attempt: number }[],
  })
  const refresh = told.refresh === undefined ? {} : { refresh: told.refresh }
  return answer(200, { ack: true, next_interval: told.nextInterval, ...refresh }, cancelHeader(told.cancel))
}

const cancelHeader = (ids: readonly string[]): Record<string, string> =>
  ids.length === 0 ? {} : { 'Svc-Cancel': ids.join(',') }

async function claim(plane: ControlPlane, request: WireRequest): Promise<WireAnswer> {
  const licenseId = await admit(plane, request, LIMITS.claim)
  const fingerprint = fingerprintOf(request)
  const { kinds, concurrency } = request.body as Pick<Claim, 'kinds' | 'concurrency'>
  const work = { kinds, concurrency }
  const told = await plane.jobs.claim({
    licenseId,
    fingerprint,
    claimKey: request.idempotencyKey,
    ...work,
  })
  const headers = { ...cancelHeader(told.cancel), ...(told.drained ? { 'Svc-Drain': '1' } : {}) }
  if (told.job === undefined) return answer(204, {}, headers)
  return answer(200, { job: claimedJobView(told.job, plane.jobs.leaseSeconds) }, headers)
}

function stateHeader({ state, cancel }: Pick<Job, 'state' | 'cancel'>): Record<string, string> {
  if (isTerminal(state)) return { 'Svc-Job-State': state }
  return isHeld(state) && cancel !== undefined ? { 'Svc-Job-State': 'canceling' } : {}
}

async function status(plane: ControlPlane, request: WireRequest, jobId: string): Promise<WireAnswer> {
  const licenseId = await admit(plane, request, LIMITS.status)
  const { body } = request
  const { job } = await plane.jobs.report({
    jobId,
    licenseId,
    fingerprint: fingerprintOf(request),
    attempt: optional(body, 'attempt', 'number'),
    state: body.state as JobState,
    exitCode: optional(body, 'exit_code', 'number'),
    error: optional(body, 'error', 'string'),
  })
  return answer(200, { ok: true }, stateHeader(job))
}

async function logs(plane: ControlPlane, request: WireRequest, jobId: string): Promise<WireAnswer> {
  const licenseId = await admit(plane, request, LIMITS.logs)
  const { body } = request
  const { accepted, next, job } = await plane.jobs.appendLogs({
    jobId,
    licenseId,
    fingerprint: optional(body, 'fingerprint', 'string'),
    attempt: optional(body, 'attempt', 'number'),
    offset: optional(body, 'offset', 'number'),
    lines: (body.lines ?? []) as readonly LogLine[],
    idempotencyKey: request.idempotencyKey,
  })
  return answer(200, { ok: true, accepted }, { 'Svc-Log-Next': String(next), ...stateHeader(job) })
}

async function cancel(plane: ControlPlane, request: WireRequest, jobId: string): Promise<WireAnswer> {
  const licenseId = await admit(plane, request, LIMITS.cancel)
  const fingerprint = optional<string>(request.body, 'fingerprint', 'string')
  const { job } = await plane.jobs.cancel(ofLicense(licenseId), { jobId, fingerprint, reason: 'agent' })
  return answer(200, { ok: true, state: job.state })
}
