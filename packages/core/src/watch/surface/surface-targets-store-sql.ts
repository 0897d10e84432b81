import { sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present } from '../../platform/database/typed-statement.ts'
import { scoped, statement, toTarget } from './surface-tables-sql.ts'
import type { SurfaceTarget } from './surface-target.ts'
import type { ProofNote, SurfaceTargetsStore, TargetFilter } from './surface-targets-store.ts'

type Key = Pick<SurfaceTarget, 'licenseId' | 'domain'>

// Additions at the same instant may pass the limit together: it bounds work, and is no price.
const ADD: Statement = {
  name: 'surface-target-add',
  text: `insert into as_targets (license_id, domain, created_at) select $1, $2, ${at('$4')}
    where (select count(*) from as_targets where license_id = $1) < $3::int
    on conflict do nothing returning *`,
}
const GET = statement('surface-target-get', (tables, { licenseId, domain }: Key) =>
  tables
    .selectFrom('as_targets')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('domain', '=', domain),
)
const LIST = scoped('surface-target-list', (tables, { domain, limit }: TargetFilter, isOwned) =>
  tables
    .selectFrom('as_targets')
    .selectAll()
    .where(isOwned)
    .where(({ eb, or }) => or([isAbsent(domain), eb('domain', '=', present(domain))]))
    .orderBy(sql`domain collate "C"`)
    .orderBy(sql`license_id collate "C"`)
    .limit(limit),
)
const NOTE: Statement = {
  name: 'surface-target-note',
  text: `with noted as (update as_targets set last_check_at = ${at('$5')}, reason = $4,
        verified_at = case when $3::boolean is null then verified_at
          when $3 then coalesce(verified_at, ${at('$5')}) end
      where license_id = $1 and domain = $2 returning *),
    aborted as (update as_scans s set state = 'aborted', error = 'domain ownership not proven any more',
        finished_at = ${at('$5')}, lease_token = null, lease_until = null
      from noted n where not $3::boolean and s.license_id = n.license_id and s.domain = n.domain
        and s.state in ('queued', 'running'))
    select * from noted`,
}
const TAKE_DUE: Statement = {
  name: 'surface-target-take-due',
  text: `with due as (select license_id, domain from as_targets
      where verified_at is not null and last_check_at <= ${at('$3')} - make_interval(secs => $1)
      order by last_check_at, domain collate "C", license_id collate "C" limit $2 for update skip locked),
    taken as (update as_targets t set last_check_at = ${at('$3')} from due
      where t.license_id = due.license_id and t.domain = due.domain returning t.*)
    select * from taken order by domain collate "C", license_id collate "C"`,
}
const REMOVE = statement('surface-target-remove', (tables, { licenseId, domain }: Key) =>
  tables
    .deleteFrom('as_targets')
    .where('license_id', '=', licenseId)
    .where('domain', '=', domain)
    .returning('domain'),
)
const NOTE_ADDRESS: Statement = {
  name: 'surface-address-note',
  text: `insert into as_addresses as a (license_id, address, seen_at) select $1, $2, ${at('$4')}
    where (select count(*) from as_addresses where license_id = $1 and address <> $2) < $3::int
    on conflict (license_id, address) do update set seen_at = greatest(a.seen_at, excluded.seen_at)`,
}
const ADDRESSES = statement(
  'surface-addresses',
  (tables, given: { licenseId: string; withinSeconds: number; now: Date | undefined }) =>
    tables
      .selectFrom('as_addresses')
      .select('address')
      .where('license_id', '=', given.licenseId)
      .where(
        'seen_at',
        '>',
        sql<string>`${atOrNow(given.now)} - make_interval(secs => ${given.withinSeconds})`,
      )
      .orderBy(sql`address collate "C"`),
)
const PURGE: Statement = {
  name: 'surface-addresses-purge',
  text: `with gone as (delete from as_addresses
      where seen_at <= ${at('$2')} - make_interval(secs => $1) returning 1)
    select count(*)::int as purged from gone`,
}

/** Targets of scans in SQL. */
export class SqlSurfaceTargetsStore implements SurfaceTargetsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(target: { licenseId: string; domain: string; most: number }, now?: Date) {
    const { licenseId, domain, most } = target
    const [added] = await this.#all(ADD, [licenseId, domain, most, now])
    if (added !== undefined) return { target: added, isNew: true }
    const present = await this.get(licenseId, domain)
    return present === undefined ? ('full' as const) : { target: present, isNew: false }
  }

  async get(licenseId: string, domain: string): Promise<SurfaceTarget | undefined> {
    return (await GET.run(this.#session, { licenseId, domain })).map(toTarget)[0]
  }

  async list(scope: Scope, filter: TargetFilter): Promise<readonly SurfaceTarget[]> {
    return (await LIST.run(this.#session, scope, filter)).map(toTarget)
  }

  async note(
    { licenseId, domain, isProven, reason }: ProofNote,
    now?: Date,
  ): Promise<SurfaceTarget | undefined> {
    return (await this.#all(NOTE, [licenseId, domain, isProven, reason, now]))[0]
  }

  takeDue({ olderSeconds, limit }: { olderSeconds: number; limit: number }, now?: Date) {
    return this.#all(TAKE_DUE, [olderSeconds, limit, now])
  }

  async remove(licenseId: string, domain: string): Promise<boolean> {
    return (await REMOVE.run(this.#session, { licenseId, domain })).length > 0
  }

  async noteAddress(seen: { licenseId: string; address: string; most: number }, now?: Date): Promise<void> {
    await this.#session.rows(NOTE_ADDRESS, [seen.licenseId, seen.address, seen.most, now])
  }

  async addresses(licenseId: string, withinSeconds: number, now?: Date): Promise<readonly string[]> {
    const rows = await ADDRESSES.run(this.#session, { licenseId, withinSeconds, now })
    return rows.map(({ address }) => address)
  }

  async purgeAddresses(olderSeconds: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [olderSeconds, now])
    return row?.purged ?? 0
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly SurfaceTarget[]> {
    return (await this.#session.rows<object>(statement, params)).map(toTarget)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { surfaceTargets: SurfaceTargetsStore } => ({
  surfaceTargets: new SqlSurfaceTargetsStore(session),
})
