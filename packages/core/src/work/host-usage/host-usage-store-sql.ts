import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { HostUsageStore, TakenUsage, UsageTaking } from './host-usage-store.ts'
import { toUsageRow } from './host-usage-tables-sql.ts'
import type { UsageHost, UsageRow } from './usage.ts'
import { FINE } from './usage.ts'

export { entities } from './host-usage-tables-sql.ts'

// All figures are in one parameter, and each row is cut out of it by its place. Rows of hosts have no
// lock on them: a host that is forgotten meanwhile leaves a row that no host has, until its time is over.
const ADD = {
  name: 'host-usage-add',
  text: `insert into host_usage (license_id, fingerprint, starts_at, share, slot_seconds, figures)
    select license_id, fingerprint, starts_at, share, slot_seconds, substring($6::bytea from at for bytes)
    from unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::int[], $7::int[], $8::int[])
      as r (license_id, fingerprint, starts_at, share, slot_seconds, at, bytes)
    where exists (select from agents a where a.license_id = r.license_id and a.fingerprint = r.fingerprint)
    order by license_id, fingerprint, starts_at
    on conflict do nothing`,
}
const COLUMNS = 'license_id, fingerprint, starts_at, share, slot_seconds, figures'
const READ = {
  name: 'host-usage-read',
  text: `select ${COLUMNS} from host_usage
    where license_id = $1 and fingerprint = $2 and starts_at >= $3 order by starts_at, share`,
}
// Rows are found host by host: the key begins with the host, and no index begins with the time.
const SHARED = `exists (select from host_usage o where o.license_id = u.license_id and o.fingerprint = u.fingerprint
  and o.starts_at = u.starts_at and o.share <> u.share and o.slot_seconds = u.slot_seconds)`
const TAKE = {
  name: 'host-usage-take',
  text: `with page as (
      select license_id, fingerprint from agents
      where $1::text is null or (license_id, fingerprint) > ($1, $2)
      order by license_id, fingerprint limit $3),
    gone as (delete from host_usage u using page p
      where u.license_id = p.license_id and u.fingerprint = p.fingerprint and u.slot_seconds = ${FINE.slotSeconds}
        and u.starts_at >= $4 and u.starts_at < $5 and (not $6::boolean or ${SHARED}) returning u.*)
    select last.license_id as last_license, last.fingerprint as last_fingerprint, gone.*
    from (select * from page order by license_id desc, fingerprint desc limit 1) last left join gone on true
    order by gone.license_id, gone.fingerprint, gone.starts_at, gone.share`,
}
interface TakenRow {
  readonly last_license: string
  readonly last_fingerprint: string
  readonly license_id: string | null
}
const PURGE = {
  name: 'host-usage-purge',
  text: `delete from host_usage where starts_at < ${at('$2')} - make_interval(days => $1)
    or starts_at > ${at('$2')} + interval '1 day'`,
}

/** Figures of hosts over time, in SQL. */
export class SqlHostUsageStore implements HostUsageStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length === 0) return
    let end = 0
    const places = rows.map(({ figures }) => {
      const place = end + 1
      end += figures.byteLength
      return place
    })
    await this.#session.rows(ADD, [
      rows.map(({ licenseId }) => licenseId),
      rows.map(({ fingerprint }) => fingerprint),
      rows.map(({ startsAt }) => startsAt.toISOString()),
      rows.map(({ share }) => share),
      rows.map(({ slotSeconds }) => slotSeconds),
      Buffer.concat(rows.map(({ figures }) => figures)),
      places,
      rows.map(({ figures }) => figures.byteLength),
    ])
  }

  async read({ licenseId, fingerprint }: UsageHost, from: Date): Promise<readonly UsageRow[]> {
    return (await this.#session.rows<object>(READ, [licenseId, fingerprint, from])).map(toUsageRow)
  }

  async take({ after, hosts, from, to, onlyShared }: UsageTaking): Promise<TakenUsage> {
    const given = [after?.licenseId, after?.fingerprint, hosts, from, to, onlyShared]
    const found = await this.#session.rows<TakenRow>(TAKE, given)
    const [first] = found
    if (first === undefined) return { rows: [], last: undefined }
    return {
      rows: found.filter((row) => row.license_id !== null).map(toUsageRow),
      last: { licenseId: first.last_license, fingerprint: first.last_fingerprint },
    }
  }

  async purge(days: number, now?: Date): Promise<void> {
    await this.#session.rows(PURGE, [days, now])
  }
}

/** The store of the feature. */
export const stores = (session: Session): { hostUsage: HostUsageStore } => ({
  hostUsage: new SqlHostUsageStore(session),
})
