import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { Alert } from './alert.ts'
import { toAlert } from './alert-tables-sql.ts'
import type { AlertWrite } from './alerts-store.ts'

const NOW = at('$3')

// One statement: it writes the dedup key only if that still has the revision that the step was decided on,
// and the other parts only if that write succeeded. So a step counts once, even if several replicas write it
// at the same time.
const MOVE = {
  name: 'alert-move',
  text: `with m as (select * from jsonb_to_record($1::jsonb) as m(license_id text, dedup_key text, tenant_id text,
      revision int, forget boolean, pending_since timestamptz, present boolean, transitions jsonb, dismissed text,
      step text, alert_id text, kind text, severity text, summary text, fingerprint text, hostname text, details jsonb,
      event text, flapping boolean, notice text, actor text)),
    added as (
      insert into alert_watches (license_id, dedup_key, tenant_id, revision, evaluated_at, pending_since, present,
        transitions, dismissed)
      select license_id, dedup_key, tenant_id, 1, ${NOW}, pending_since, present, transitions, dismissed
      from m where revision = 0 on conflict do nothing returning 1),
    kept as (
      update alert_watches w set revision = w.revision + 1, pending_since = m.pending_since, present = m.present,
        evaluated_at = case when m.actor is null then ${NOW} else w.evaluated_at end,
        transitions = m.transitions, dismissed = m.dismissed
      from m where m.revision > 0 and not m.forget and w.license_id = m.license_id and w.dedup_key = m.dedup_key
        and w.revision = m.revision and (w.evaluated_at < $2 or m.actor is not null) returning 1),
    gone as (
      delete from alert_watches w using m where m.forget and w.license_id = m.license_id
        and w.dedup_key = m.dedup_key and w.revision = m.revision returning 1),
    won as (select from added union all select from kept union all select from gone),
    opened as (
      insert into alerts (id, license_id, tenant_id, dedup_key, kind, severity, summary, fingerprint, hostname, details,
        event, count, flapping, starts_at, last_seen_at)
      select alert_id, license_id, tenant_id, dedup_key, kind, severity, summary, fingerprint, hostname, details, event,
        1, flapping, ${NOW}, ${NOW}
      from m where step = 'open' and exists (select from won)
      on conflict (license_id, dedup_key) where resolved_at is null do nothing returning *),
    changed as (
      update alerts a set flapping = m.flapping, kind = coalesce(m.kind, a.kind),
        severity = coalesce(m.severity, a.severity), summary = coalesce(m.summary, a.summary),
        fingerprint = coalesce(m.fingerprint, a.fingerprint), hostname = coalesce(m.hostname, a.hostname),
        details = coalesce(m.details, a.details), event = coalesce(m.event, a.event),
        last_seen_at = case when m.kind is null then a.last_seen_at else ${NOW} end,
        count = a.count + (m.step = 'reopen')::int,
        notified_at = case when m.step = 'reopen' then null else a.notified_at end,
        acknowledged_at = case when m.step = 'reopen' then null else a.acknowledged_at end,
        acknowledged_by = case when m.step = 'reopen' then null else a.acknowledged_by end,
        ack_expires_at = case when m.step = 'reopen' then null else a.ack_expires_at end,
        resolved_at = case when m.step = 'resolve' then ${NOW} end,
        resolved_by = case when m.step = 'resolve' then m.actor end
      from m where m.step in ('reopen', 'keep', 'resolve') and a.id = m.alert_id
        and (m.step = 'reopen') = (a.resolved_at is not null) and exists (select from won) returning a.*),
    hit as (select * from opened union all select * from changed),
    told as (
      insert into alert_notices (alert_id, opening, transition, channel, tenant_id, snapshot, created_at)
      select h.id, h.count, m.notice, c.channel, coalesce(h.tenant_id, ''), to_jsonb(h), ${NOW}
      from hit h cross join m cross join (values ('log'), ('webhook'), ('mail')) as c(channel)
      where m.notice is not null and case
        when m.notice = 'resolved'
        then exists (select from alert_notices n where n.alert_id = h.id and n.opening = h.count
          and n.channel = c.channel and n.transition <> 'resolved')
        when c.channel = 'webhook'
        then exists (select from alert_webhooks k where k.tenant_id = coalesce(h.tenant_id, ''))
        else c.channel = 'log'
          or exists (select from alert_mailboxes b where b.tenant_id = coalesce(h.tenant_id, '')) end
      on conflict do nothing returning 1)
    select exists (select from won) as won, h.* from (select) one left join hit h on true`,
}

/** Writes one step; see `AlertsStore.move`. */
export async function move(
  session: Session,
  made: AlertWrite,
  at: Date,
  now: Date | undefined,
): Promise<{ alert: Alert | undefined } | undefined> {
  const { step, content } = made
  const record = {
    license_id: made.licenseId,
    dedup_key: made.dedupKey,
    tenant_id: made.tenantId,
    revision: made.revision,
    forget: made.forget,
    pending_since: step.state.pendingSince,
    present: step.state.isPresent,
    transitions: step.state.transitions,
    dismissed: step.state.dismissed,
    step: step.alert,
    alert_id: made.alertId,
    kind: content?.kind,
    severity: content?.severity,
    summary: content?.summary,
    fingerprint: content?.host?.fingerprint,
    hostname: content?.host?.hostname,
    details: content?.details,
    event: content?.event,
    flapping: step.flapping,
    notice: step.notice,
    actor: made.actor,
  }
  type Row = { won: boolean; id: string | null }
  const [row] = await session.rows<Row>(MOVE, [JSON.stringify(record), at, now])
  if (row?.won !== true) return undefined
  return { alert: row.id === null ? undefined : toAlert(row) }
}
