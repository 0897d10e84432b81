import { defineEntity, p } from '@mikro-orm/core'
import type { GeneratedAlways } from 'kysely'
import {
  bigInteger,
  fact,
  float,
  redacted,
  sealed,
  type TablesOf,
  time,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { Job, JobKind, JobState, Successor } from './job.ts'

/** Table `jobs`. */
export const JobEntity = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    kind: word(p.text().$type<JobKind>()),
    state: word(p.text().$type<JobState>().default('pending')),
    payload: verbatim(p.json().$type<Job['payload']>()),
    target: fact(p.text().default('')),
    urgent: p.boolean().default(false),
    app: fact(p.text().nullable()),
    serialKey: fact(p.text().nullable()),
    contended: p.boolean().default(false),
    dedupeKey: fact(p.text().nullable()),
    deploymentId: word(p.text().nullable()),
    retryOf: word(p.text().nullable()),
    createdAt: time(),
    dueAt: time(),
    availableAt: time(),
    claimedBy: fact(p.text().nullable()),
    claimKey: fact(p.text().nullable()),
    claimedAt: time().nullable(),
    startedAt: time().nullable(),
    finishedAt: time().nullable(),
    attempt: p.integer().default(0),
    lost: p.integer().default(0),
    maxAttempts: p.integer(),
    timeoutSeconds: p.integer(),
    cancelRequestedAt: time().nullable(),
    cancelReason: redacted(p.text().nullable()),
    exitCode: float().nullable(),
    error: redacted(p.text().nullable()),
    sealedEnv: sealed(p.text().nullable()),
    successors: fact(p.json().$type<readonly Successor[]>().nullable()),
    hasFailed: p.boolean().generated("state = 'failed'"),
  },
})

/** Table `job_log_chunks`. */
export const JobLogChunkEntity = defineEntity({
  name: 'JobLogChunk',
  tableName: 'job_log_chunks',
  properties: {
    jobId: word(p.text().primary()),
    firstLine: p.integer().primary(),
    attempt: p.integer(),
    firstOffset: p.integer(),
    nextOffset: p.integer(),
    lines: p.integer(),
    accepted: p.integer(),
    jobChars: bigInteger(),
    body: redacted(p.blob()),
    idempotencyKey: fact(p.text().nullable()),
    at: time(),
  },
})

/** Its tables. */
export const entities = [JobEntity, JobLogChunkEntity]

type Made = TablesOf<typeof JobEntity | typeof JobLogChunkEntity>
/** Both tables. The database computes `has_failed`: no statement writes it. */
export interface Tables extends Omit<Made, 'jobs'> {
  readonly jobs: Omit<Made['jobs'], 'has_failed'> & { readonly has_failed: GeneratedAlways<boolean> }
}

/** Statements over both tables. */
export const { statement, scoped } = statementsOver<Tables>()
