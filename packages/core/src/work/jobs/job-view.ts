import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { visiblePayload, withoutEnvValues } from '../../kernel/redaction/visible-payload.ts'
import { isHeld, type Job } from './job.ts'
import type { ClaimedJob } from './job-answers.ts'
import { MAX_ACCEPTED_LINES, MAX_LINE_CHARS } from './job-log.ts'
import type { ListedJob } from './jobs-store.ts'

/** Seconds between two log requests that hosts are asked to keep. */
const LOG_INTERVAL_SECONDS = 2

/** The word of the service about the variables that a claimed job carries. */
export interface HandedEnv {
  /** Names of the variables whose values its host masks. */
  readonly secrets?: readonly string[]
  /** Why its host does not get the variables of its app. */
  readonly withheld?: string
}

/** The `job` of a claim answer (docs/agents.md). Instants in unix seconds; absent values are left out. */
export const claimedJobView = (
  job: Job,
  leaseSeconds: number,
  { secrets, withheld }: HandedEnv = {},
): ClaimedJob => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  payload: job.payload,
  ...present('deployment_id', job.deploymentId),
  ...present('env_secrets', secrets),
  ...present('env_withheld', withheld),
  attempt: job.attempt,
  max_attempts: job.maxAttempts,
  created_at: unixSeconds(job.createdAt),
  claimed_at: unixSeconds(job.claimedAt),
  lease_seconds: leaseSeconds,
  lease_expires_at: unixSeconds(job.availableAt),
  timeout_seconds: job.timeoutSeconds,
  log: {
    next_offset: 0,
    max_lines: MAX_ACCEPTED_LINES,
    max_line_chars: MAX_LINE_CHARS,
    interval_seconds: LOG_INTERVAL_SECONDS,
  },
})

/** A job in a list, as operators see it. Instants in unix seconds; absent values are left out. */
export const listedJobView = (job: ListedJob) => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  license_id: job.licenseId,
  ...present('app', job.app),
  ...present('target', job.target === '' ? undefined : job.target),
  ...(job.urgent ? { urgent: true } : {}),
  ...present('deployment_id', job.deploymentId),
  ...present('retry_of', job.retryOf),
  ...present('serial_key', job.serialKey),
  ...present('dedupe_key', job.dedupeKey),
  attempt: job.attempt,
  max_attempts: job.maxAttempts,
  lost_leases: job.lost,
  timeout_seconds: job.timeoutSeconds,
  created_at: unixSeconds(job.createdAt),
  ...present('claimed_by', job.claimedBy),
  ...presentSeconds('claimed_at', job.claimedAt),
  ...presentSeconds('started_at', job.startedAt),
  ...presentSeconds('finished_at', job.finishedAt),
  ...(isHeld(job.state) ? { lease_expires_at: unixSeconds(job.availableAt) } : {}),
  ...(job.cancel === undefined
    ? {}
    : { cancel_requested_at: unixSeconds(job.cancel.at), cancel_reason: job.cancel.reason }),
  ...present('exit_code', job.exitCode),
  ...present('error', job.error),
})
/** A job in a list, as operators see it. */
export type ListedJobView = ReturnType<typeof listedJobView>

/**
 * A job as operators see it. `withSecrets`: the payload as its host gets it, for those who may deploy, but
 * for the values of its `env`, which nobody is shown.
 */
export const jobView = (job: Job, withSecrets: boolean) => ({
  ...listedJobView(job),
  payload: withSecrets ? withoutEnvValues(job.payload) : visiblePayload(job.payload),
})
/** A job as operators see it. */
export type JobView = ReturnType<typeof jobView>

/** Returns the deployment that a job carries. */
export const deploymentView = (id: string, { state, app }: Job) => ({ id, state, ...present('app', app) })
/** The deployment that a job carries, as operators see it. */
export type DeploymentView = ReturnType<typeof deploymentView>
