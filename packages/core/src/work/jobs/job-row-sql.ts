import type { Selectable } from 'kysely'
import { given, instant, maybeInstant } from '../../platform/database/values.ts'
import type { Job } from './job.ts'
import type { Tables } from './job-tables-sql.ts'
import type { ListedJob, ReportedJob } from './jobs-store.ts'

/** A row of `jobs` as the drivers give it. */
export type JobRow = Selectable<Tables['jobs']>

/** The columns of a job in a list: all but the payload, and those that nobody reads. */
export const LISTED = [
  'id',
  'license_id',
  'kind',
  'state',
  'target',
  'urgent',
  'app',
  'serial_key',
  'dedupe_key',
  'deployment_id',
  'retry_of',
  'created_at',
  'due_at',
  'available_at',
  'claimed_by',
  'claimed_at',
  'started_at',
  'finished_at',
  'attempt',
  'lost',
  'max_attempts',
  'timeout_seconds',
  'cancel_requested_at',
  'cancel_reason',
  'exit_code',
  'error',
] as const satisfies readonly (keyof JobRow)[]

// Claims and reports take these maps: a reader made from the entity takes three times as long.
/** The job of a row. A pending urgent job stands at minus infinity: it has been due since it was made. */
export const toJob = (row: ListedRow & Pick<JobRow, 'payload' | 'sealed_env' | 'successors'>): Job => ({
  ...toListedJob(row),
  payload: row.payload,
  sealedEnv: given(row.sealed_env),
  successors: given(row.successors),
})

/** A row of those columns. */
export type ListedRow = Pick<JobRow, (typeof LISTED)[number]>

/** The job of a row without its payload. */
export const toListedJob = (row: ListedRow): ListedJob => ({
  id: row.id,
  licenseId: row.license_id,
  kind: row.kind,
  state: row.state,
  target: row.target,
  urgent: row.urgent,
  app: given(row.app),
  serialKey: given(row.serial_key),
  dedupeKey: given(row.dedupe_key),
  deploymentId: given(row.deployment_id),
  retryOf: given(row.retry_of),
  createdAt: instant(row.created_at),
  availableAt: maybeInstant(row.available_at === '-infinity' ? row.due_at : row.available_at),
  claimedBy: given(row.claimed_by),
  claimedAt: maybeInstant(row.claimed_at),
  startedAt: maybeInstant(row.started_at),
  finishedAt: maybeInstant(row.finished_at),
  attempt: row.attempt,
  lost: row.lost,
  maxAttempts: row.max_attempts,
  timeoutSeconds: row.timeout_seconds,
  cancel: cancelOf(row),
  exitCode: given(row.exit_code),
  error: given(row.error),
})

/** The columns of a reported job. */
export const REPORTED = 'id, kind, state, claimed_at, finished_at, cancel_requested_at, cancel_reason'
  .split(', ')
  .map((column) => `j.${column}`)
  .join(', ')

/** A row of those columns. */
export type ReportedRow = Pick<
  JobRow,
  'id' | 'kind' | 'state' | 'claimed_at' | 'finished_at' | 'cancel_requested_at' | 'cancel_reason'
>

/** The job of such a row. */
export const toReportedJob = (row: ReportedRow): ReportedJob => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  claimedAt: maybeInstant(row.claimed_at),
  finishedAt: maybeInstant(row.finished_at),
  cancel: cancelOf(row),
})

/** When and why the job of a row was asked to stop; undefined when it was not. */
export const cancelOf = (row: Pick<JobRow, 'cancel_requested_at' | 'cancel_reason'>): Job['cancel'] =>
  row.cancel_requested_at === null
    ? undefined
    : { at: instant(row.cancel_requested_at), reason: row.cancel_reason ?? '' }

/**
 * SQL: the predicate of the partial indexes, true for unfinished jobs. No index reads `state`, so that the
 * update of a job that begins to run is heap-only (constraints of the table tie `state` to these columns).
 */
export const UNFINISHED = 'finished_at is null'
/** SQL: a row `j` that a host owns, the predicate of the index of held jobs. */
export const HELD_BY_INDEX = '(j.finished_at is null and j.claimed_by is not null)'

/**
 * SQL: the ids of the jobs that the host of a row is to stop, as an array. Null if there are none, since
 * parsing an empty array costs time as well. An index of its own answers this.
 */
export const cancelledJobIds = (
  host: string,
): string => `nullif(array(select j.id from jobs j where j.license_id = ${host}.license_id
  and j.claimed_by = ${host}.fingerprint and j.cancel_requested_at is not null and ${HELD_BY_INDEX} order by j.id), '{}')`

/**
 * SQL: the same as `HELD_BY_INDEX` for a row `j` that is found by its id, written so that the planner cannot
 * use the index of held jobs: a plan from when that index was empty would read all of it.
 */
export const HELD_BY_ID = `coalesce(j.state, '') in ('claimed', 'running')`
