import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { given, maybeInstant } from '../../platform/database/values.ts'
import type { JobState } from '../../work/jobs/job.ts'
import { SUPERSEDED_ERROR } from '../../work/jobs/lease.ts'
import { appliedState } from './applied-security.ts'
import {
  type AppliedSecurity,
  type HostKey,
  type HostSecurity,
  KEPT_REVISIONS,
  type NewSecurityRevision,
  type NodeSecurityStore,
  type SecurityRevision,
  type SecurityStanding,
} from './node-security-store.ts'
import { statement, toBareRevision, toRevision } from './node-security-tables-sql.ts'

export { entities } from './node-security-tables-sql.ts'

interface OutcomeRow {
  readonly ended_state: 'succeeded' | 'failed' | null
  readonly ended_at: string | null
  readonly ended_error: string | null
  readonly applied_revision: number
}

interface CurrentRow extends OutcomeRow {
  readonly job_id: string | null
  readonly job_state: JobState | null
}

const OF_HOST = `from jobs j join node_security_revisions n on n.license_id = j.license_id and n.fingerprint = j.target
    and to_jsonb(n.revision) = j.payload -> 'revision' and n.sha256 = j.payload ->> 'sha256'
  where j.license_id = r.license_id and j.target = r.fingerprint and j.kind = 'firewall'`
const LATEST = 'order by n.revision desc, j.id collate "C" desc limit 1'
const OUTCOME = `ended.state as ended_state, ended.finished_at as ended_at, ended.error as ended_error,
  coalesce(applied.revision, 0) as applied_revision`
// A job that was superseded said nothing about its host, though the host may have taken and given it back.
const ITS_OUTCOME = `left join lateral (select j.state, j.finished_at, j.error ${OF_HOST} and j.finished_at is not null
      and j.attempt > 0 and j.error is distinct from '${SUPERSEDED_ERROR}' ${LATEST}) ended on true
    left join lateral (select n.revision ${OF_HOST} and j.state = 'succeeded' ${LATEST}) applied on true`
const CURRENT = {
  name: 'node-security-current',
  text: `select r.*, latest.id as job_id, latest.state as job_state, ${OUTCOME}
    from (select * from node_security_revisions where license_id = $1 and fingerprint = $2
      order by revision desc limit 1) r
    left join lateral (select j.id, j.state ${OF_HOST} ${LATEST}) latest on true ${ITS_OUTCOME}`,
}
const STANDINGS = {
  name: 'node-security-standings',
  text: `select r.*, ${OUTCOME} from (select distinct on (license_id, fingerprint) license_id, fingerprint, revision,
      updated_at from node_security_revisions order by license_id, fingerprint, revision desc) r ${ITS_OUTCOME}
    order by r.license_id collate "C", r.fingerprint collate "C"`,
}
const ADD = {
  name: 'node-security-add',
  text: `with added as (
      insert into node_security_revisions (license_id, fingerprint, revision, settings, sha256, updated_by, updated_at)
      select $1, $2, $3::int, $4::jsonb, $5, $6, ${at('$7')} where $3::int = 1 + coalesce((select max(revision)
        from node_security_revisions where license_id = $1 and fingerprint = $2), 0)
      on conflict do nothing returning *
    ), gone as (delete from node_security_revisions r using added where r.license_id = added.license_id
      and r.fingerprint = added.fingerprint and r.revision <= added.revision - ${KEPT_REVISIONS})
    select * from added`,
}
const REVISION = statement('node-security-revision', (tables, given: HostKey & { revision: number }) =>
  tables
    .selectFrom('node_security_revisions')
    .selectAll()
    .where('license_id', '=', given.licenseId)
    .where('fingerprint', '=', given.fingerprint)
    .where('revision', '=', given.revision),
)
const HISTORY = statement('node-security-history', (tables, given: HostKey & { limit: number }) =>
  tables
    .selectFrom('node_security_revisions')
    .selectAll()
    .where('license_id', '=', given.licenseId)
    .where('fingerprint', '=', given.fingerprint)
    .orderBy('revision', 'desc')
    .limit(given.limit),
)

function toApplied(row: OutcomeRow): AppliedSecurity {
  const { ended_state: ended, applied_revision: revision } = row
  const error = given(row.ended_error)
  return {
    state: ended === null ? 'none' : appliedState(ended, error),
    revision,
    at: maybeInstant(row.ended_at),
    error,
  }
}

function toSecurity(row: CurrentRow): HostSecurity {
  const { job_id: id, job_state: state } = row
  return {
    desired: toRevision(row),
    applied: toApplied(row),
    job: id === null || state === null ? undefined : { id, state },
  }
}

function toStanding(row: OutcomeRow): SecurityStanding {
  const { licenseId, fingerprint, ...desired } = toBareRevision(row)
  return { licenseId, fingerprint, desired, applied: toApplied(row) }
}

/** Documents of hosts in SQL. */
export class SqlNodeSecurityStore implements NodeSecurityStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async current({ licenseId, fingerprint }: HostKey): Promise<HostSecurity | undefined> {
    const [row] = await this.#session.rows<CurrentRow>(CURRENT, [licenseId, fingerprint])
    return row === undefined ? undefined : toSecurity(row)
  }

  async add(write: NewSecurityRevision, now?: Date): Promise<SecurityRevision | undefined> {
    const { licenseId, fingerprint, revision, settings, sha256, updatedBy } = write
    const params = [licenseId, fingerprint, revision, JSON.stringify(settings), sha256, updatedBy, now]
    return (await this.#session.rows<object>(ADD, params)).map(toRevision)[0]
  }

  async revision(host: HostKey, revision: number): Promise<SecurityRevision | undefined> {
    return (await REVISION.run(this.#session, { ...host, revision })).map(toRevision)[0]
  }

  async history(host: HostKey, limit: number): Promise<readonly SecurityRevision[]> {
    return (await HISTORY.run(this.#session, { ...host, limit })).map(toRevision)
  }

  async standings(): Promise<readonly SecurityStanding[]> {
    return (await this.#session.rows<OutcomeRow>(STANDINGS, [])).map(toStanding)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { nodeSecurity: NodeSecurityStore } => ({
  nodeSecurity: new SqlNodeSecurityStore(session),
})
