import type { LeaseAnswer, LeaseRequest } from '@svc/core/ports'
import type { StoresSeam } from '@svc/testing/simulator'
import { disguised, inJobs, isHeld, type PlantedBug, patch, type Row, take } from './planted-bug.ts'

/** A planted fault: claims that first take a job that `wrong` accepts. */
const taking = (
  name: string,
  rules: readonly string[],
  wrong: (row: Row, request: LeaseRequest, nowMs: number) => boolean,
): PlantedBug =>
  inJobs(name, rules, (jobs, seam) => ({
    lease: async (request) => {
      const nowMs = seam.now().getTime()
      const isOurs = (row: Row) => row.job.licenseId === request.licenseId
      const row = seam.tables.jobs.all().find((each) => isOurs(each) && wrong(each, request, nowMs))
      return row === undefined ? jobs.lease(request) : take(seam, row, request)
    },
  }))

/** A planted fault: claims that ignore the jobs that `hidden` accepts. */
const blindTo = (
  name: string,
  rules: readonly string[],
  hidden: (row: Row, nowMs: number) => boolean,
): PlantedBug =>
  inJobs(name, rules, (jobs, seam) => ({
    lease: (request) => {
      const nowMs = seam.now().getTime()
      const rows = seam.tables.jobs.all().filter((row) => hidden(row, nowMs))
      const later = (row: Row) => ({ ...row, place: nowMs + 1 })
      return disguised(seam, rows, later, () => jobs.lease(request))
    },
  }))

const isFree = ({ target }: Row['job'], { fingerprint }: LeaseRequest) =>
  target === '' || target === fingerprint

/** Returns the job that a claim would hand out, if it is a new job. */
function nextNew({ tables, now }: StoresSeam, request: LeaseRequest): Row | undefined {
  const due = tables.jobs
    .group(request.licenseId)
    .filter((row) => row.place <= now().getTime() && isFree(row.job, request))
    .sort((one, other) => one.place - other.place || (one.job.id < other.job.id ? -1 : 1))
  const isServed =
    tables.agents.get(hostKey(request))?.drainedAt === undefined && request.claimKey === undefined
  return isServed && due[0]?.job.state === 'pending' ? due[0] : undefined
}

const hostKey = ({ licenseId, fingerprint }: LeaseRequest) => JSON.stringify([licenseId, fingerprint])

/** Faults in claims. */
export const claimBugs: readonly PlantedBug[] = [
  inJobs('claim: the license is not asked for', ['I7 own jobs only'], (jobs, { tables, now }) => ({
    lease: async (request) => {
      const answer = await jobs.lease(request)
      const other = tables.jobs
        .all()
        .find(({ job, place }) => job.state === 'pending' && place <= now().getTime() && isFree(job, request))
      if (answer.job !== undefined || other === undefined) return answer
      return jobs.lease({ ...request, licenseId: other.job.licenseId })
    },
  })),
  inJobs(
    'claim: read first, written later',
    ['I1 one holder', 'no step back', 'cancel is kept'],
    (jobs, seam) => ({
      lease: async (request) => {
        const row = nextNew(seam, request)
        if (row === undefined) return jobs.lease(request)
        const at = seam.now()
        await seam.timeline.sleep(200)
        return take(seam, row, request, at)
      },
    }),
  ),
  inJobs(
    'claim: one batch gives two hosts the same job',
    ['I1 one holder', 'a drained host gets nothing'],
    (jobs, { timeline }) => {
      let last: { answer: LeaseAnswer; license: string; atMs: number } | undefined
      return {
        lease: async (request) => {
          const isSameBatch = last?.license === request.licenseId && timeline.nowMs - last.atMs < 100
          if (isSameBatch && last?.answer.job !== undefined) return last.answer
          const answer = await jobs.lease(request)
          last = { answer, license: request.licenseId, atMs: timeline.nowMs }
          return answer
        },
      }
    },
  ),
  {
    name: 'claim: the lease is judged by the clock of the replica',
    rules: ['lease length', 'I4 a due job is handed out'],
    seams: { clock: (clock) => ({ now: () => clock.now(), statementTime: () => clock.now() }) },
  },
  inJobs('claim: a drained host is served', ['a drained host gets nothing'], (jobs, { tables }) => ({
    lease: (request) => {
      const host = tables.agents.get(hostKey(request))
      if (host?.drainedAt === undefined) return jobs.lease(request)
      tables.agents.put(hostKey(request), { ...host, drainedAt: undefined })
      const answer = jobs.lease(request)
      tables.agents.put(hostKey(request), host)
      return answer
    },
  })),
  blindTo(
    'claim: a running job is never reclaimed',
    ['I4 a due job is handed out', 'longest due first'],
    ({ job }) => job.state === 'running',
  ),
  blindTo(
    'claim: a claimed job is never reclaimed',
    ['I4 a due job is handed out', 'longest due first'],
    ({ job }) => job.state === 'claimed',
  ),
  blindTo(
    'claim: urgent jobs are passed over',
    ['longest due first', 'I4 a due job is handed out'],
    ({ job, place }) => job.urgent && place < 0,
  ),
  taking('claim: the target is not asked for', ['I7 own jobs only'], ({ job, place }, request, nowMs) => {
    return job.state === 'pending' && place <= nowMs && !isFree(job, request)
  }),
  taking('claim: one attempt more than allowed', ['attempts bound'], (row, request, nowMs) => {
    const { lost, maxAttempts, cancel } = row.job
    const isLast = lost + 1 === maxAttempts && cancel === undefined
    return isHeld(row) && row.place <= nowMs && isLast && isFree(row.job, request)
  }),
  taking(
    'claim: a cancelled job is handed out again',
    ['a cancelled job is not handed out'],
    (row, request, nowMs) => {
      const { lost, maxAttempts, cancel } = row.job
      return (
        isHeld(row) &&
        row.place <= nowMs &&
        cancel !== undefined &&
        lost + 1 < maxAttempts &&
        isFree(row.job, request)
      )
    },
  ),
  taking('claim: a lease is taken before it ends', ['I1 one holder'], (row, request, nowMs) => {
    const { lost, maxAttempts, cancel, claimedBy } = row.job
    const isNear = row.place > nowMs && row.place <= nowMs + 3000 && claimedBy !== request.fingerprint
    return isHeld(row) && isNear && cancel === undefined && lost + 1 < maxAttempts && isFree(row.job, request)
  }),
  taking(
    'claim: a failed job is handed out again',
    ['I3 terminal is final'],
    ({ job, place }, request, nowMs) => {
      return job.state === 'failed' && place <= nowMs && isFree(job, request)
    },
  ),
  inJobs('claim: a repeated key gets another job', ['repeated claim', 'one job a claim'], (jobs, seam) => ({
    lease: async (request) => {
      const answer = await jobs.lease({ ...request, claimKey: undefined })
      const { claimKey } = request
      if (answer.job !== undefined) patch(seam, answer.job.id, (row) => ({ ...row, claimKey }))
      return answer
    },
  })),
  {
    name: 'claim: a hint that the queue is empty is never taken back',
    rules: ['I4 every job ends once faults stop'],
    seams: {
      storage: (storage) => {
        const empty = new Map<string, LeaseAnswer>()
        const lease = async (request: LeaseRequest) => {
          const known = empty.get(request.licenseId)
          if (known !== undefined) return known
          const answer = await storage.jobs.lease(request)
          if (answer.job === undefined) empty.set(request.licenseId, answer)
          return answer
        }
        return { ...storage, jobs: { ...storage.jobs, lease } }
      },
    },
  },
]
