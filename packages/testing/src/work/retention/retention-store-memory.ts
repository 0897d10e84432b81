import { isTerminal, type Job } from '@svc/core'
import {
  firstIdAt,
  KEPT_DEPLOYMENTS,
  type PastJobs,
  type RetentionPage,
  type RetentionState,
  type RetentionStore,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

const NO_STATE: RetentionState = {
  held: false,
  acceptedAt: undefined,
  acceptedBy: undefined,
  logsBefore: undefined,
  archive: undefined,
}

/** The retention of jobs and logs in memory. */
export function memoryRetentionStore(tables: MemoryTables, run: Run, time: () => Date): RetentionStore {
  const { jobs, logs, deployments } = tables
  const states = tables.of<RetentionState>('retention')
  const state = () => states.get('1') ?? NO_STATE
  const jobOf = (id: string) => jobs.get(id)?.job
  const isOver = (id: string) => {
    const job = jobOf(id)
    return job === undefined || isTerminal(job.state)
  }
  return {
    state: () => run(state),
    accept: (by, now = time()) =>
      run(() => {
        if (state().acceptedAt === undefined) states.put('1', { ...state(), acceptedAt: now, acceptedBy: by })
      }),
    noteLogs: (before) =>
      run(() => {
        const { logsBefore = before } = state()
        states.put('1', { ...state(), logsBefore: logsBefore > before ? logsBefore : before })
      }),
    setArchive: (mark) =>
      run(() => {
        const { archive } = state()
        if (mark === undefined && archive === undefined) return state()
        if (mark === undefined || archive === undefined) states.put('1', { ...state(), archive: mark })
        return state()
      }),
    jobs: (ids) =>
      run(() =>
        jobs
          .all()
          .filter(({ job }) => ids.includes(job.id))
          .sort((one, other) => byBytes(one.job.id, other.job.id))
          .map(({ job }) => ({ job, deployment: deployments.all().find(({ jobId }) => jobId === job.id) })),
      ),
    pastJobs: (page) =>
      run(() => {
        const ids = jobs.all().map(({ job }) => job.id)
        return past(ids, page, (id) => hasEnded(jobOf(id), page.before) && !isHeld(tables, id))
      }),
    pastLogs: (page) =>
      run(() => {
        const ids = jobs.all().flatMap(({ job }) => (logs.get(job.id) === undefined ? [] : [job.id]))
        return past(ids, page, (id) => hasEnded(jobOf(id), page.before))
      }),
    removeJobs: (ids) =>
      run(() => {
        const gone = [...new Set(ids)].filter((id) => jobOf(id) !== undefined && isOver(id))
        for (const row of deployments.all()) if (gone.includes(row.jobId)) deployments.put(row.id, undefined)
        for (const id of gone) for (const table of [jobs, logs]) table.put(id, undefined)
        return gone.length
      }),
    removeLogs: (ids) =>
      run(() => {
        const gone = [...new Set(ids)].filter(isOver)
        const count = gone.reduce((sum, id) => sum + (logs.get(id)?.length ?? 0), 0)
        for (const id of gone) logs.put(id, undefined)
        return count
      }),
    // Memory has no months: each log goes by itself.
    makeLogMonths: async () => {},
    dropLogMonths: async () => ({ logs: 0, since: undefined }),
    logMonthsFault: async () => undefined,
    backlog: (jobsBefore, logsBefore, most) =>
      run(() => {
        const ended = jobs
          .all()
          .filter(({ job }) => job.id < firstIdAt('job', jobsBefore) && hasEnded(job, jobsBefore))
          .slice(0, most + 1)
        const times = ended.map(({ job }) => Number(job.finishedAt))
        const pieces = jobs
          .all()
          .filter(({ job }) => job.id < firstIdAt('job', logsBefore))
          .flatMap(({ job }) => logs.get(job.id) ?? [])
          .slice(0, most + 1)
        const counted = (rows: number) => ({ rows: Math.min(rows, most), more: rows > most })
        return {
          jobs: {
            ...counted(ended.length),
            oldest: times.length === 0 ? undefined : new Date(Math.min(...times)),
          },
          logs: {
            ...counted(pieces.length),
            bytes: pieces.flatMap(({ lines }) => lines).reduce((sum, { line }) => sum + line.length, 0),
          },
        }
      }),
  }
}

const hasEnded = (job: Job | undefined, before: Date): boolean =>
  job?.finishedAt !== undefined && job.finishedAt < before

function past(
  ids: readonly string[],
  { after, before, limit }: RetentionPage,
  isPast: (id: string) => boolean,
): PastJobs {
  const page = ids
    .filter((id) => id > after && id < firstIdAt('job', before))
    .sort(byBytes)
    .slice(0, limit)
  return { ids: page.filter(isPast), last: page.length < limit ? undefined : page.at(-1) }
}

/** Whether a deployment, a domain or a database of an app needs the job still. */
function isHeld(tables: MemoryTables, jobId: string): boolean {
  const { deployments, jobs } = tables
  const names = ({ jobId: named }: { readonly jobId: string }) => named === jobId
  if (tables.of<{ jobId: string }>('appDomains').all().some(names)) return true
  if (tables.of<{ jobId: string }>('appDatabases').all().some(names)) return true
  const own = deployments.all().find(names)
  if (own === undefined) return false
  const newer = deployments
    .all()
    .filter((row) => row.licenseId === own.licenseId && row.app === own.app && row.id > own.id)
  const isGood = (id: string) => jobs.get(id)?.job.state === 'succeeded'
  return newer.length < KEPT_DEPLOYMENTS || (isGood(jobId) && !newer.some((row) => isGood(row.jobId)))
}
