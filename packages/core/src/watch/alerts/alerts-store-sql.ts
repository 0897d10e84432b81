import { type SqlBool, sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import { idOf, scoped } from '../../platform/database/scoped-statement.ts'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { instant } from '../../platform/database/values.ts'
import { ALERT_STATUSES, type Alert, type AlertSeverity, type AlertStatus } from './alert.ts'
import type { AlertKey } from './alert-lifecycle.ts'
import { move } from './alert-move-sql.ts'
import { type KeyedAlertRow, statement, toAction, toAlert, toAlertKey } from './alert-tables-sql.ts'
import type * as port from './alerts-store.ts'
import { CLONE_SECONDS, REFUSAL_SECONDS } from './rules/alert-facts.ts'

/** SQL: alerts `a` with their keys `w`, which hold the snoozes. */
export const JOINED = `from alerts a left join alert_watches w on w.license_id = a.license_id and w.dedup_key = a.dedup_key`
const SHOWN = `select a.*, w.snoozed_until ${JOINED}`
// A license sees what is about its tenant as a whole, too.
/** The owners of alerts `a`. */
export const OWNERSHIP = {
  tenant: 'a.tenant_id = $1',
  license: `(a.license_id = $1
    or (a.license_id = '' and a.tenant_id = (select l.tenant_id from licenses l where l.id = $1)))`,
}
/** SQL: the status of an alert `a` with its key `w`. */
export const status = (now: string): string => `case when a.resolved_at is not null then 'resolved'
  when w.snoozed_until > ${now} then 'snoozed' when a.ack_expires_at > ${now} then 'acknowledged' else 'firing' end`

// Joins the unresolved alert, else the one resolved last. Ids do not give that order, since the clocks of the
// replicas that make them differ.
const WATCHES = {
  name: 'alert-watches',
  text: `select ${at('$3')} as at, w.*, a.id as alert_id, a.resolved_at, coalesce(a.flapping, false) as flapping, a.event,
      coalesce(a.ack_expires_at > ${at('$3')}, false) as acknowledged,
      exists (select from alert_notices n where n.alert_id = a.id and n.opening = a.count
        and n.transition <> 'resolved') as announced
    from (select) one
    left join alert_watches w on $2::text is null or (w.license_id = $1 and w.dedup_key = $2)
    left join lateral (select * from alerts a where a.license_id = w.license_id and a.dedup_key = w.dedup_key
      order by a.resolved_at desc nulls first, a.id desc limit 1) a on true`,
}
const BY_IDS = scoped(
  'alert-by-ids',
  (isOwned) => `${SHOWN} where ${isOwned} and a.id = any($2::text[])`,
  OWNERSHIP,
)
const BY_KEY = scoped(
  'alert-by-key',
  (isOwned) =>
    `select distinct on (a.license_id) a.*, w.snoozed_until ${JOINED} where ${isOwned} and a.dedup_key = $2
    order by a.license_id, a.resolved_at is not null, a.id desc`,
  OWNERSHIP,
)
const FILTER = `($2::text is null or ${status(at('$9'))} = $2)
      and ($3::text is null or a.hostname = $3 or a.fingerprint = $3 or 'agt_' || left(a.fingerprint, 12) = $3)
      and ($4::text is null or a.kind = $4) and ($5::timestamptz is null or a.starts_at >= $5)`
// The unresolved ones are few and have their index; the others are read from the newest on.
const LIST = scoped(
  'alert-list',
  (isOwned) => `select * from (
      (${SHOWN} where ${isOwned} and a.resolved_at is null and ${FILTER}
        and ($6::text is null or (not $7 and a.id < $6)))
      union all
      (${SHOWN} where ${isOwned} and a.resolved_at is not null and ($2::text is null or $2 = 'resolved') and ${FILTER}
        and ($6::text is null or not $7 or a.id < $6) order by a.id desc limit $8)
    ) a order by (a.resolved_at is not null), a.id desc limit $8`,
  OWNERSHIP,
)
const isNamed = (ids: readonly string[]) => sql<SqlBool>`id = any(${ids}::text[])`
type Acknowledgement = port.AlertActionWrite & { readonly now: Date | undefined }
const ACK = statement('alert-ack', (tables, { ids, actor, until, now }: Acknowledgement) =>
  tables
    .updateTable('alerts')
    .set({ acknowledged_at: atOrNow(now), acknowledged_by: actor, ack_expires_at: until })
    .where(isNamed(ids))
    .where('resolved_at', 'is', null)
    .where(sql<SqlBool>`coalesce(ack_expires_at <= ${atOrNow(now)}, true)`)
    .returning('id'),
)
const UNACK = statement('alert-unack', (tables, { ids }: { ids: readonly string[] }) =>
  tables
    .updateTable('alerts')
    .set({ acknowledged_at: null, acknowledged_by: null, ack_expires_at: null })
    .where(isNamed(ids))
    .where('acknowledged_at', 'is not', null)
    .returning('id'),
)
// A snooze belongs to the dedup key. The statement returns the ids of the named alerts whose key changed.
const snoozing = (until: string, which: string): string => `with changed as (
    update alert_watches w set snoozed_until = ${until}, revision = w.revision + 1
    where w.snoozed_until is distinct from ${until}
      and (w.license_id, w.dedup_key) in (select a.license_id, a.dedup_key from alerts a where ${which})
    returning w.license_id, w.dedup_key)
  select a.id from alerts a join changed using (license_id, dedup_key) where ${which}`
const SNOOZE = {
  name: 'alert-snooze',
  text: snoozing('$2::timestamptz', 'a.id = any($1::text[]) and a.resolved_at is null'),
}
const UNSNOOZE = { name: 'alert-unsnooze', text: snoozing('null::timestamptz', 'a.id = any($1::text[])') }
const RECORD = {
  name: 'alert-record',
  text: `insert into alert_actions (id, alert_id, at, actor, action, note)
    select r.id, r.alert_id, ${at('$2')}, r.actor, r.action, r.note from jsonb_to_recordset($1::jsonb)
      as r(id text, alert_id text, actor text, action text, note text, only_news boolean)
    where not r.only_news or r.note is distinct from
      (select a.note from alert_actions a where a.alert_id = r.alert_id order by a.id collate "C" desc limit 1)`,
}
const ACTIONS = statement('alert-actions', (tables, { alertId }: { alertId: string }) =>
  tables.selectFrom('alert_actions').selectAll().where('alert_id', '=', alertId).orderBy(sql`id collate "C"`),
)
const COUNTS = {
  name: 'alert-counts',
  text: `select ${status(at('$1'))} as status, a.severity, count(*)::float8 as count ${JOINED} group by 1, 2`,
}
const PURGE = {
  name: 'alert-purge',
  text: `with old as (delete from alerts where id in (select id from alerts
        where resolved_at < ${at('$2')} - make_interval(days => $1) order by resolved_at limit 1000) returning 1),
      refused as (delete from rate_refusals where minute < ${at('$2')} - make_interval(secs => ${2 * REFUSAL_SECONDS})
        returning 1),
      met as (delete from host_identities
        where returned_at < ${at('$2')} - make_interval(secs => ${6 * CLONE_SECONDS}) returning 1)
    select (select count(*) from old)::int as purged, (select count(*) from refused)
      + (select count(*) from met) as others`,
}

/** A row of `alert_watches`; its key is null in the single row that is returned when no key is stored. */
type WatchRow = KeyedAlertRow & { readonly at: string; readonly dedup_key: string | null }

/** Alerts in SQL. */
export class SqlAlertsStore implements port.AlertsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async watches(key?: port.AlertKeyId, now?: Date): Promise<{ at: Date; watches: readonly AlertKey[] }> {
    const rows = await this.#session.rows<WatchRow>(WATCHES, [key?.licenseId, key?.dedupKey, now])
    const known = rows.filter((row) => row.dedup_key !== null).map(toAlertKey)
    return { at: instant(rows[0]?.at ?? ''), watches: known }
  }

  move(made: port.AlertWrite, at: Date, now?: Date): Promise<{ alert: Alert | undefined } | undefined> {
    return move(this.#session, made, at, now)
  }

  async write(write: port.AlertActionWrite, now?: Date): Promise<readonly string[]> {
    const { ids, until } = write
    const session = this.#session
    const run = {
      ack: () => ACK.run(session, { ...write, now }),
      unack: () => UNACK.run(session, { ids }),
      snooze: () => session.rows<{ id: string }>(SNOOZE, [ids, until]),
      unsnooze: () => session.rows<{ id: string }>(UNSNOOZE, [ids]),
    }[write.action]
    return (await run()).map(({ id }) => id)
  }

  async record(entries: readonly port.NewAlertAction[], now?: Date): Promise<void> {
    const rows = entries.map(({ alertId, onlyNews = false, ...entry }) => ({
      ...entry,
      alert_id: alertId,
      only_news: onlyNews,
    }))
    await this.#session.rows(RECORD, [JSON.stringify(rows), now])
  }

  async actions(alertId: string): Promise<readonly port.AlertActionEntry[]> {
    return (await ACTIONS.run(this.#session, { alertId })).map(toAction)
  }

  async byIds(scope: Scope, ids: readonly string[]): Promise<readonly Alert[]> {
    const alerts = (await this.#session.rows<object>(BY_IDS(scope), [idOf(scope), ids])).map(toAlert)
    const found = new Map(alerts.map((alert) => [alert.id, alert]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  async byKey(scope: Scope, dedupKey: string): Promise<readonly Alert[]> {
    return (await this.#session.rows<object>(BY_KEY(scope), [idOf(scope), dedupKey])).map(toAlert)
  }

  async list(scope: Scope, filter: port.AlertFilter, now?: Date): Promise<readonly Alert[]> {
    const { status: wanted, host, kind, since, after, limit } = filter
    const which = [idOf(scope), wanted, host, kind, since]
    const params = [...which, after?.id, after?.isResolved ?? false, limit, now]
    return (await this.#session.rows<object>(LIST(scope), params)).map(toAlert)
  }

  async counts(now?: Date): Promise<port.AlertCounts> {
    type Row = { status: AlertStatus; severity: AlertSeverity; count: number }
    const rows = await this.#session.rows<Row>(COUNTS, [now])
    return new Map(
      rows
        .filter((row) => ALERT_STATUSES.includes(row.status))
        .map((row) => [`${row.status} ${row.severity}` as const, row.count]),
    )
  }

  async purge(keepDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keepDays, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { alerts: port.AlertsStore } => ({
  alerts: new SqlAlertsStore(session),
})
