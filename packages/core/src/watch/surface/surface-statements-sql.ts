import { sql } from 'kysely'
import type { Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, isAbsent, present, type Timed } from '../../platform/database/typed-statement.ts'
import type { FindingFilter } from './surface-scans-store.ts'
import { scoped, statement } from './surface-tables-sql.ts'

interface Named {
  readonly id: string
}
interface OfTarget {
  readonly licenseId: string
  readonly domain: string
}
interface Lease extends Named {
  readonly token: string
}

const ACTIVE = `state in ('queued', 'running')`
const NO_LEASE = { lease_token: null, lease_until: null } as const
const HOUR = `interval '1 hour'`
const DAY = `interval '1 day'`
const ended = (now: string): string => `finished_at = ${now}, lease_token = null, lease_until = null`

// Requests of two licenses for one domain at the same instant may pass its limit together.
export const START: Statement = {
  name: 'surface-scan-start',
  text: `insert into as_scans (id, license_id, domain, state, checks, params, created_at)
    select $1, t.license_id, t.domain, 'queued', $4::text[], $5::jsonb, ${at('$8')} from as_targets t
    where t.license_id = $2 and t.domain = $3 and t.verified_at is not null
      and (select count(*) from as_scans where domain = $3 and created_at > ${at('$8')} - ${HOUR}) < $6::int
      and (select count(*) from as_scans where license_id = $2 and created_at > ${at('$8')} - ${DAY}) < $7::int
    on conflict (license_id, domain) where ${ACTIVE} do nothing returning *`,
}
const secondsUntil = (which: string, nth: string, span: string): string =>
  `(select extract(epoch from created_at + ${span} - ${at('$5')}) from as_scans
      where ${which} order by created_at desc offset ${nth}::int - 1 limit 1)`
export const WHY_NOT: Statement = {
  name: 'surface-scan-why-not',
  text: `select exists (select from as_targets where license_id = $1 and domain = $2 and verified_at is not null)
      as is_proven,
    (select id from as_scans where license_id = $1 and domain = $2 and ${ACTIVE}) as active,
    greatest(${secondsUntil('domain = $2', '$3', HOUR)}, ${secondsUntil('license_id = $1', '$4', DAY)}, 1)::float8
      as wait_seconds`,
}
export const GET = scoped('surface-scan-get', (tables, { id }: Named, isOwned) =>
  tables.selectFrom('as_scans').selectAll().where(isOwned).where('id', '=', id),
)
export const LAST = statement('surface-scan-last', (tables, { licenseId, domain }: OfTarget) =>
  tables
    .selectFrom('as_scans')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('domain', '=', domain)
    .orderBy('created_at', 'desc')
    .orderBy(sql`id collate "C"`, 'desc')
    .limit(1),
)
// Replicas that take at the same instant may run one scan more than the setting says.
export const TAKE: Statement = {
  name: 'surface-scan-take',
  text: `with dead as (update as_scans set state = 'failed', error = 'the process that ran it died, twice',
        ${ended(at('$5'))}
      where state = 'running' and lease_until <= ${at('$5')} and attempts >= $4::int),
    due as (select id from as_scans
      where (state = 'queued' or (state = 'running' and lease_until <= ${at('$5')} and attempts < $4::int))
        and (select count(*) from as_scans where state = 'running' and lease_until > ${at('$5')}) < $3::int
      order by created_at, id collate "C" limit 1 for update skip locked)
    update as_scans s set state = 'running', attempts = attempts + 1, progress = 0,
        started_at = coalesce(started_at, ${at('$5')}),
        lease_token = $1, lease_until = ${at('$5')} + make_interval(secs => $2)
      from due where s.id = due.id returning s.*`,
}
export const RENEW = statement(
  'surface-scan-renew',
  (tables, given: Lease & Timed & { leaseSeconds: number; progress: number }) =>
    tables
      .updateTable('as_scans')
      .set({
        lease_until: sql<Date>`${atOrNow(given.now)} + make_interval(secs => ${given.leaseSeconds})`,
        progress: sql<number>`greatest(progress, ${given.progress}::float8)`,
      })
      .where('id', '=', given.id)
      .where('lease_token', '=', given.token)
      .where('state', '=', 'running')
      .returning('id'),
)
export const GIVE_BACK = statement('surface-scan-give-back', (tables, { id, token }: Lease) =>
  tables
    .updateTable('as_scans')
    .set(({ eb }) => ({
      ...NO_LEASE,
      state: 'queued',
      attempts: eb('attempts', '-', 1),
      progress: 0,
      started_at: null,
    }))
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('state', '=', 'running')
    .returning('id'),
)
export const FINISH: Statement = {
  name: 'surface-scan-finish',
  text: `with ended as (update as_scans set state = $3, error = $4, result = $5::jsonb,
        progress = case when $3 = 'done' then 1 else progress end, ${ended(at('$8'))}
      where id = $1 and lease_token = $2 and state = 'running' returning *),
    seen as (insert into as_findings as f (license_id, domain, fingerprint, id, "check", severity, host, place, url,
        evidence, remediation, status, first_seen_at, last_seen_at)
      select e.license_id, e.domain, s.fingerprint, s.id, s."check", s.severity, s.host, s.place, s.url, s.evidence,
        s.remediation, 'open', ${at('$8')}, ${at('$8')}
      from ended e, jsonb_to_recordset($6::jsonb) as s(fingerprint text, id text, "check" text, severity text,
        host text, place text, url text, evidence text, remediation text)
      on conflict (license_id, domain, fingerprint) do update set severity = excluded.severity,
        evidence = excluded.evidence, remediation = excluded.remediation, status = 'open',
        first_seen_at = case when f.status = 'open' then f.first_seen_at else excluded.first_seen_at end,
        last_seen_at = excluded.last_seen_at),
    fixed as (update as_findings f set status = 'fixed' from ended e
      where f.license_id = e.license_id and f.domain = e.domain and f.status = 'open'
        and f.fingerprint = any($7::text[]))
    select * from ended`,
}
export const ABORT = scoped(
  'surface-scan-abort',
  (tables, given: Named & Timed & { reason: string }, isOwned) =>
    tables
      .updateTable('as_scans')
      .set({ ...NO_LEASE, state: 'aborted', error: given.reason, finished_at: atOrNow(given.now) })
      .where(isOwned)
      .where('id', '=', given.id)
      .where('state', 'in', ['queued', 'running'])
      .returningAll(),
)
export const FINDINGS = scoped(
  'surface-findings',
  (tables, { domain, status, severity, limit }: FindingFilter, isOwned) =>
    tables
      .selectFrom('as_findings')
      .selectAll()
      .where(isOwned)
      .where(({ eb, or }) => or([isAbsent(domain), eb('domain', '=', present(domain))]))
      .where(({ eb, or }) => or([isAbsent(status), eb('status', '=', present(status))]))
      .where(({ eb, or }) => or([isAbsent(severity), eb('severity', '=', present(severity))]))
      .orderBy(sql`array_position(array['high', 'medium', 'low', 'info'], severity)`)
      .orderBy('first_seen_at')
      .orderBy(sql`license_id collate "C", domain collate "C", fingerprint collate "C"`)
      .limit(limit),
)
export const COUNTS = statement('surface-finding-counts', (tables, { licenseId, domain }: OfTarget) =>
  tables
    .selectFrom('as_findings')
    .select(['severity', sql<number>`count(*)::int`.as('count')])
    .where('license_id', '=', licenseId)
    .where('domain', '=', domain)
    .where('status', '=', 'open')
    .groupBy('severity'),
)
export const PURGE: Statement = {
  name: 'surface-scans-purge',
  text: `with scans as (delete from as_scans s where finished_at < ${at('$2')} - make_interval(days => $1)
        and exists (select from as_scans n where n.license_id = s.license_id and n.domain = s.domain
          and (n.created_at, n.id collate "C") > (s.created_at, s.id collate "C")) returning 1),
      findings as (delete from as_findings where status = 'fixed'
        and last_seen_at < ${at('$2')} - make_interval(days => $1) returning 1)
    select (select count(*) from scans)::int as purged, (select count(*) from findings)::int as findings`,
}
