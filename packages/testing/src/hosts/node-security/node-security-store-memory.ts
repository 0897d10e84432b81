import type { Job } from '@svc/core'
import {
  appliedState,
  type HostKey,
  type HostSecurity,
  KEPT_REVISIONS,
  type NewSecurityRevision,
  type NodeSecurityStore,
  type SecurityRevision,
  type SecurityStanding,
  SUPERSEDED_ERROR,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes, jsonCopy } from '../../text-order.ts'

type Row = SecurityRevision & HostKey

const keyOf = ({ licenseId, fingerprint }: HostKey, revision: number) =>
  `${licenseId} ${revision} ${fingerprint}`

const shown = ({ licenseId: _, fingerprint: __, ...revision }: Row): SecurityRevision => revision

/** Documents of hosts in memory. */
export function memoryNodeSecurityStore(tables: MemoryTables, run: Run, time: () => Date): NodeSecurityStore {
  const revisions = tables.of<Row>('nodeSecurity')
  const newestFirst = ({ licenseId, fingerprint }: HostKey): Row[] =>
    revisions
      .all()
      .filter((row) => row.licenseId === licenseId && row.fingerprint === fingerprint)
      .sort((one, other) => other.revision - one.revision)
  const current = (host: HostKey): HostSecurity | undefined => {
    const [desired, ...older] = newestFirst(host)
    if (desired === undefined) return undefined
    const jobs = jobsOf(tables, [desired, ...older])
    return { desired: shown(desired), ...outcome(jobs) }
  }
  const standing = ([newest, ...older]: readonly Row[]): SecurityStanding[] => {
    if (newest === undefined) return []
    const { licenseId, fingerprint, revision, updatedAt } = newest
    const { applied } = outcome(jobsOf(tables, [newest, ...older]))
    return [{ licenseId, fingerprint, desired: { revision, updatedAt }, applied }]
  }
  return {
    current: (host: HostKey) => run(() => current(host)),
    add: ({ settings, ...write }: NewSecurityRevision, now = time()) =>
      run(() => {
        const kept = newestFirst(write)
        if (write.revision !== (kept[0]?.revision ?? 0) + 1) return undefined
        for (const { revision } of kept.filter((row) => row.revision <= write.revision - KEPT_REVISIONS))
          revisions.put(keyOf(write, revision), undefined)
        const row = { ...write, settings: jsonCopy(settings) as typeof settings, updatedAt: now }
        revisions.put(keyOf(write, write.revision), row)
        return shown(row)
      }),
    revision: (host: HostKey, revision: number) =>
      run(() => {
        const row = revisions.get(keyOf(host, revision))
        return row && shown(row)
      }),
    history: (host: HostKey, limit: number) => run(() => newestFirst(host).slice(0, limit).map(shown)),
    standings: () =>
      run(() => {
        const hosts = Map.groupBy(revisions.all(), (row) => keyOf(row, 0))
        return [...hosts.values()]
          .flatMap(([host]) => (host === undefined ? [] : standing(newestFirst(host))))
          .sort(byHost)
      }),
  }
}

const byHost = (one: HostKey, other: HostKey): number =>
  byBytes(one.licenseId, other.licenseId) || byBytes(one.fingerprint, other.fingerprint)

interface Carried {
  readonly job: Job
  readonly revision: number
}

/** The jobs that carry one of the revisions to its host, the latest first. */
function jobsOf(tables: MemoryTables, rows: readonly Row[]): Carried[] {
  return tables.jobs
    .all()
    .map(({ job }) => job)
    .filter(({ kind }) => kind === 'firewall')
    .flatMap((job) => {
      const carried = rows.find(
        (row) =>
          row.licenseId === job.licenseId &&
          row.fingerprint === job.target &&
          row.revision === job.payload.revision &&
          row.sha256 === job.payload.sha256,
      )
      return carried === undefined ? [] : [{ job, revision: carried.revision }]
    })
    .sort((one, other) => other.revision - one.revision || byBytes(other.job.id, one.job.id))
}

function outcome(jobs: readonly Carried[]): Pick<HostSecurity, 'applied' | 'job'> {
  const ended = jobs.find(
    ({ job }) => job.finishedAt !== undefined && job.attempt > 0 && job.error !== SUPERSEDED_ERROR,
  )?.job
  const state = ended?.state
  const latest = jobs[0]?.job
  return {
    applied: {
      state: state === 'succeeded' || state === 'failed' ? appliedState(state, ended?.error) : 'none',
      revision: jobs.find(({ job }) => job.state === 'succeeded')?.revision ?? 0,
      at: ended?.finishedAt,
      error: ended?.error,
    },
    job: latest && { id: latest.id, state: latest.state },
  }
}
