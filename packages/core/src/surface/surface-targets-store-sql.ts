import { idOf, scoped } from '../database/scoped-statement.ts'
import type { Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import type { Scope } from '../scope.ts'
import type { SurfaceTarget } from './surface-target.ts'
import type { ProofNote, SurfaceTargetsStore, TargetFilter } from './surface-targets-store.ts'

interface TargetRow {
  readonly license_id: string
  readonly domain: string
  readonly verified_at: string | null
  readonly last_check_at: string | null
  readonly reason: string | null
  readonly created_at: string
}

// Additions at the same instant may pass the limit together: it bounds work, and is no price.
const ADD: Statement = {
  name: 'surface-target-add',
  text: `insert into as_targets (license_id, domain, created_at) select $1, $2, ${at('$4')}
    where (select count(*) from as_targets where license_id = $1) < $3::int
    on conflict do nothing returning *`,
}
const GET: Statement = {
  name: 'surface-target-get',
  text: 'select * from as_targets where license_id = $1 and domain = $2',
}
const LIST = scoped(
  'surface-target-list',
  (isOwned) => `select * from as_targets where ${isOwned} and ($2::text is null or domain = $2)
    order by domain collate "C", license_id collate "C" limit $3`,
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
const REMOVE: Statement = {
  name: 'surface-target-remove',
  text: 'delete from as_targets where license_id = $1 and domain = $2 returning 1',
}
const NOTE_ADDRESS: Statement = {
  name: 'surface-address-note',
  text: `insert into as_addresses as a (license_id, address, seen_at) select $1, $2, ${at('$4')}
    where (select count(*) from as_addresses where license_id = $1 and address <> $2) < $3::int
    on conflict (license_id, address) do update set seen_at = greatest(a.seen_at, excluded.seen_at)`,
}
const ADDRESSES: Statement = {
  name: 'surface-addresses',
  text: `select address from as_addresses where license_id = $1
    and seen_at > ${at('$3')} - make_interval(secs => $2) order by address collate "C"`,
}
const PURGE: Statement = {
  name: 'surface-addresses-purge',
  text: `with gone as (delete from as_addresses
      where seen_at <= ${at('$2')} - make_interval(secs => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const toTarget = (row: TargetRow): SurfaceTarget => ({
  licenseId: row.license_id,
  domain: row.domain,
  verifiedAt: maybeInstant(row.verified_at),
  checkedAt: maybeInstant(row.last_check_at),
  reason: given(row.reason),
  createdAt: instant(row.created_at),
})

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
    return (await this.#all(GET, [licenseId, domain]))[0]
  }

  list(scope: Scope, { domain, limit }: TargetFilter): Promise<readonly SurfaceTarget[]> {
    return this.#all(LIST(scope), [idOf(scope), domain, limit])
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
    return (await this.#session.rows(REMOVE, [licenseId, domain])).length > 0
  }

  async noteAddress(seen: { licenseId: string; address: string; most: number }, now?: Date): Promise<void> {
    await this.#session.rows(NOTE_ADDRESS, [seen.licenseId, seen.address, seen.most, now])
  }

  async addresses(licenseId: string, withinSeconds: number, now?: Date): Promise<readonly string[]> {
    const params = [licenseId, withinSeconds, now]
    return (await this.#session.rows<{ address: string }>(ADDRESSES, params)).map(({ address }) => address)
  }

  async purgeAddresses(olderSeconds: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [olderSeconds, now])
    return row?.purged ?? 0
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly SurfaceTarget[]> {
    return (await this.#session.rows<TargetRow>(statement, params)).map(toTarget)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { surfaceTargets: SurfaceTargetsStore } => ({
  surfaceTargets: new SqlSurfaceTargetsStore(session),
})
