import { PLATFORM } from '@svc/core'
import { HELD_BY_ID } from '../../../packages/core/src/work/jobs/job-row-sql.ts'
import type { ProfileName } from '../profile.ts'

/** A planted fault, which a run must find. */
export interface PlantedBug {
  readonly name: string
  /** The profile that finds the fault quickly. */
  readonly profile: ProfileName
  /** Changes the code of a replica before it runs. */
  readonly plant?: () => Promise<void>
  /** Settings of PostgreSQL that are the fault. */
  readonly settings?: Readonly<Record<string, string>>
}

interface Statement {
  text: string
}

/** Changes a statement of the product. Throws if the statement no longer contains `was`. */
function edit(statement: Statement, was: string, is: string): void {
  const text = statement.text.replaceAll(was, is)
  if (text === statement.text) throw new Error(`the statement no longer says: ${was}`)
  statement.text = text
}

const reports = async () =>
  (await import('../../../packages/core/src/work/jobs/job-report-sql.ts')).REPORT as Statement
const leases = async () =>
  (await import('../../../packages/core/src/work/jobs/job-claim-sql.ts')).CLAIM as Statement
const jobsStore = async () =>
  (await import('../../../packages/core/src/work/jobs/jobs-store-sql.ts')).SqlJobsStore.prototype
const licensesStore = async () =>
  (await import('../../../packages/core/src/people/licenses/licenses-store-sql.ts')).SqlLicensesStore
    .prototype
const agentsStore = async () =>
  (await import('../../../packages/core/src/work/agents/agents-store-sql.ts')).SqlAgentsStore.prototype
const deliveriesStore = async () =>
  (await import('../../../packages/core/src/platform/deliveries/deliveries-store-sql.ts')).SqlDeliveriesStore
    .prototype

const LATE_MS = 400
const STALE_MS = 5000

/** All planted faults. Each leaves out a condition that a change might leave out by mistake. */
export const PLANTED: readonly PlantedBug[] = [
  {
    name: 'commits are not waited for',
    profile: 'fast',
    settings: { synchronous_commit: 'off', wal_writer_delay: '1000ms' },
  },
  {
    name: 'a repeated place in the log is stored again',
    profile: 'fast',
    plant: async () => {
      const store = await jobsStore()
      const { appendLogs } = store
      store.appendLogs = function (write, now) {
        return appendLogs.call(this, { ...write, offset: undefined }, now)
      }
    },
  },
  {
    name: 'the key of a repeated log request is ignored',
    profile: 'fast',
    plant: async () => {
      const store = await jobsStore()
      const { appendLogs } = store
      store.appendLogs = function (write, now) {
        return appendLogs.call(this, { ...write, idempotencyKey: undefined }, now)
      }
    },
  },
  {
    name: 'lines are acknowledged before they are stored',
    profile: 'fast',
    plant: async () => {
      const store = await jobsStore()
      const { appendLogs } = store
      store.appendLogs = async function (write, now) {
        const job = await this.get(PLATFORM, write.jobId)
        const isOwner = job?.claimedBy === write.fingerprint && job?.attempt === write.attempt
        if (job === undefined || !isOwner || write.offset === undefined)
          return appendLogs.call(this, write, now)
        setTimeout(() => void appendLogs.call(this, write, now).catch(() => {}), LATE_MS)
        const { length } = write.lines
        return { job, accepted: length, stored: length, next: write.offset + length }
      }
    },
  },
  {
    name: 'a status is taken from anybody',
    profile: 'slow',
    plant: async () => {
      const report = await reports()
      edit(report, 'and j.claimed_by = q.fingerprint', '')
      edit(report, 'and (q.attempt_given is null or j.attempt = q.attempt_given)', '')
    },
  },
  {
    name: 'a status is taken for a job of another license',
    profile: 'fast',
    plant: async () => edit(await reports(), 'and j.license_id = q.license_id', ''),
  },
  {
    name: 'a terminal state is overwritten',
    profile: 'fast',
    plant: async () => edit(await reports(), `(${HELD_BY_ID} and (`, '(true and ('),
  },
  {
    name: 'a cancelled job that is given back is queued again',
    profile: 'slow',
    plant: async () =>
      edit(
        await reports(),
        "when q.reported = 'pending' and j.cancel_requested_at is not null then 'failed'",
        '',
      ),
  },
  {
    name: 'a lease is taken a second early',
    profile: 'slow',
    plant: async () => {
      const lease = await leases()
      edit(lease, 'and available_at <= q.at', "and available_at <= q.at + interval '1 second'")
      edit(lease, 'and available_at <= c.at', "and available_at <= c.at + interval '1 second'")
      edit(lease, 'shared.available_at <= q.at', "shared.available_at <= q.at + interval '1 second'")
    },
  },
  {
    name: 'a license is remembered for five seconds',
    profile: 'fast',
    plant: async () => {
      const store = await licensesStore()
      const { usableId } = store
      const known = new Map<string, { id: string; until: number }>()
      store.usableId = async function (keyDigest, now) {
        const kept = known.get(keyDigest)
        if (kept !== undefined && kept.until > Date.now()) return kept.id
        const id = await usableId.call(this, keyDigest, now)
        if (id !== undefined) known.set(keyDigest, { id, until: Date.now() + STALE_MS })
        return id
      }
    },
  },
  {
    name: 'heartbeats are acknowledged before they are stored',
    profile: 'fast',
    plant: async () => {
      const store = await agentsStore()
      const { heartbeat } = store
      const known = new Map<string, number>()
      store.heartbeat = async function (write, now) {
        const host = `${write.licenseId} ${write.fingerprint}`
        const seq = known.get(host)
        const beat = heartbeat.call(this, write, now)
        if (seq === undefined) {
          const outcome = await beat
          known.set(host, outcome.seq)
          return outcome
        }
        beat.catch(() => {})
        known.set(host, seq + 1)
        return { seq: seq + 1, at: new Date(), drained: false, cancel: [] }
      }
    },
  },
  {
    name: 'a message that was refused counts as sent',
    profile: 'fast',
    plant: async () => {
      const store = await deliveriesStore()
      const { settle } = store
      store.settle = function (settlement, now) {
        return settle.call(this, { ...settlement, state: 'sent' }, now)
      }
    },
  },
]
