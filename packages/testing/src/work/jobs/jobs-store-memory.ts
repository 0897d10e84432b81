import { isTerminal, type Job, type JobState, type LogLine, type Scope } from '@svc/core'
import {
  firstIdAt,
  type JobCounts,
  type JobFilter,
  type JobsStore,
  type LeaseRequest,
  type ListedJob,
  LogRoom,
  type LogWrite,
  type LookFilter,
  type NewJob,
  type Owner,
  type StatusWrite,
  type SupersedeWrite,
  type UpcomingJob,
  type WaitedQueue,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { requireLicensed } from '../../people/licenses/licenses-store-memory.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import { agentKey } from '../agents/agents-store-memory.ts'
import { requestCancel, supersede, sweep } from './job-end-memory.ts'
import { repeated } from './job-follow-memory.ts'
import { lease } from './job-lease-memory.ts'
import { appendLogs, logLengths, preface, readLogs } from './job-logs-memory.ts'
import { enqueue, isRun } from './job-queue-memory.ts'
import { renew, report } from './job-report-memory.ts'
import { byPlace, type MemoryJob } from './memory-job.ts'

/** The queue in memory, as strict as the one in SQL. `time` stands in for the database's clock. */
export function memoryJobsStore(tables: MemoryTables, run: Run, time: () => Date): JobsStore {
  const { jobs } = tables
  const within = (scope: Scope) => jobs.all().filter(({ job }) => isWithin(tables, scope, job))
  return {
    enqueue: (job: NewJob, now = time()) =>
      run(() => {
        const made = enqueue(tables, job, now)
        if (made.created) repeated(tables, made.job)
        return made
      }),
    lease: (request: LeaseRequest, now = time()) =>
      run(() => {
        requireLicensed(tables, request, now)
        return lease(tables, request, isDrained(tables, request), now)
      }),
    upcoming: (queues: readonly WaitedQueue[], seconds: number, now = time()) =>
      run(() => queues.flatMap((queue) => upcoming(jobs.group(queue.licenseId), queue, seconds, now))),
    report: (write: StatusWrite, now = time()) => run(() => report(tables, write, now)),
    appendLogs: (write: LogWrite, now = time()) => run(() => appendLogs(tables, write, now)),
    renew: (owners: readonly Owner[], leaseSeconds: number, now = time()) =>
      run(() => renew(jobs, owners, leaseSeconds, now)),
    requestCancel: (scope, write, now = time()) => run(() => requestCancel(tables, scope, write, now)),
    supersede: (write: SupersedeWrite, now = time()) => run(() => supersede(tables, write, now)),
    preface: (jobId: string, line: LogLine) => run(() => preface(tables, jobId, line)),
    sweep: (now = time()) => run(() => sweep(tables, now)),
    get: (scope, jobId) =>
      run(() => {
        const job = jobs.get(jobId)?.job
        return job !== undefined && isWithin(tables, scope, job) ? job : undefined
      }),
    list: (scope, filter) => run(() => list(within(scope), filter)),
    lookedTo: (scope, filter, rows) =>
      run(() => {
        if (scope.of !== 'tenant') return lookedTo(within(scope), filter, rows, scope.of === 'platform')
        const byLicense = Map.groupBy(within(scope), ({ job }) => job.licenseId)
        return [...byLicense.values()]
          .flatMap((own) => lookedTo(own, filter, rows) ?? [])
          .sort(byBytes)
          .at(-1)
      }),
    pending: (licenseId: string, most: number) =>
      run(() => Math.min(most, jobs.group(licenseId).filter(({ job }) => job.state === 'pending').length)),
    isRun: (work: Pick<Job, 'licenseId' | 'kind' | 'target'>, now = time()) =>
      run(() => isRun(tables, work, now)),
    serialHolder: (job: ListedJob) => run(() => serialHolder(jobs.group(job.licenseId), job)),
    lastClaim: (licenseId: string) => run(() => lastClaim(jobs.all(), licenseId)),
    logs: (jobId: string, after: number, limit: number, chars = Number.POSITIVE_INFINITY) =>
      run(() => readLogs(tables, jobId, after, new LogRoom(limit, chars))),
    logLengths: (jobId: string) => run(() => logLengths(tables, jobId)),
    counts: (now = time()) => run(() => counts(jobs.all(), now)),
  }
}

const isDrained = ({ agents }: MemoryTables, { licenseId, fingerprint }: LeaseRequest): boolean =>
  agents.get(agentKey(licenseId, fingerprint))?.drainedAt !== undefined

const list = (rows: readonly MemoryJob[], filter: JobFilter): ListedJob[] =>
  rows
    .map(({ job }) => job)
    .filter((job) => isListed(job, filter))
    .sort((one, other) => byBytes(other.id, one.id))
    .slice(0, filter.limit)
    .map(({ payload: _, sealedEnv: __, successors: ___, ...job }) => job)

const lookedTo = (
  rows: readonly MemoryJob[],
  { failed = false, ...filter }: LookFilter,
  count: number,
  isAny = false,
): string | undefined =>
  rows
    .map(({ job }) => job)
    .filter((job) => (failed ? job.state === 'failed' : isAny || isTerminal(job.state)))
    .filter((job) => isListed(job, { ...filter, limit: count }))
    .map(({ id }) => id)
    .sort((one, other) => byBytes(other, one))[count - 1]

function isListed(
  job: Job,
  { state, kind, host, app, since, before, from = '', idEnd = '' }: JobFilter,
): boolean {
  return (
    job.id >= from &&
    (state === undefined || job.state === state) &&
    (kind === undefined || job.kind === kind) &&
    (host === undefined || job.target === host || job.claimedBy === host) &&
    (app === undefined || job.app === app) &&
    (since === undefined || job.id >= firstIdAt('job', since)) &&
    (before === undefined || job.id < before) &&
    job.id.endsWith(idEnd)
  )
}

function serialHolder(unfinished: readonly MemoryJob[], job: ListedJob): Job | undefined {
  if (job.serialKey === undefined || job.availableAt !== undefined) return undefined
  return unfinished
    .filter(
      ({ job: other, place }) =>
        other.serialKey === job.serialKey && Number(place) < Number.POSITIVE_INFINITY,
    )
    .filter(({ job: other }) => other.id !== job.id)
    .sort(byPlace)[0]?.job
}

function lastClaim(rows: readonly MemoryJob[], licenseId: string): Date | undefined {
  const claims = rows.flatMap(({ job }) =>
    job.licenseId === licenseId && job.claimedAt !== undefined ? [job.claimedAt.getTime()] : [],
  )
  return claims.length === 0 ? undefined : new Date(Math.max(...claims))
}

const isHeld = ({ state }: Job): boolean => state === 'claimed' || state === 'running'

function counts(rows: readonly MemoryJob[], now: Date): JobCounts {
  const count = (state: JobState) => rows.filter(({ job }) => job.state === state).length
  const waits = rows
    .filter(({ job, place }) => job.state === 'pending' && !isTerminal(job.state) && place <= now.getTime())
    .map(({ job, dueAt }) => now.getTime() - Math.max(dueAt.getTime(), job.createdAt.getTime()))
  return {
    byState: { pending: count('pending'), claimed: count('claimed'), running: count('running') },
    oldestClaimableSeconds: Math.max(0, ...waits) / 1000,
    expiredLeases: rows.filter(({ job, place }) => isHeld(job) && place <= now.getTime()).length,
  }
}

function upcoming(
  rows: readonly MemoryJob[],
  { target, kinds, most }: WaitedQueue,
  seconds: number,
  now: Date,
): readonly UpcomingJob[] {
  return rows
    .filter(({ job, place }) => job.target === target && place <= now.getTime() + 1000 * seconds)
    .filter(({ job }) => kinds === undefined || kinds.includes(job.kind))
    .sort(byPlace)
    .slice(0, most)
    .map(({ job: { licenseId, kind }, place }) => {
      return { licenseId, target, kind, inMs: Math.max(0, Math.ceil(place - now.getTime())) }
    })
}
