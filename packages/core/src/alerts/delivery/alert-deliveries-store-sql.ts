import { given, instant, maybeInstant, type Session } from '../../database/session.ts'
import type { AlertTransition } from '../alert-lifecycle.ts'
import { type AlertRow, toAlert } from '../alert-row-sql.ts'
import type * as port from './alert-deliveries-store.ts'

const at = (parameter: string): string => `coalesce(${parameter}::timestamptz, now())`
const READY = `n.delivery_id is null and (n.transition <> 'resolved' or exists (
  select from alert_notices o join alert_deliveries d on d.id = o.delivery_id
  where o.alert_id = n.alert_id and o.opening = n.opening and o.channel = n.channel and o.transition <> 'resolved'
    and d.state = 'sent'))`
const WAITING = {
  name: 'alert-waiting',
  text: `select distinct n.channel, n.tenant_id from alert_notices n where ${READY} order by 1, 2`,
}
const BUNDLE = {
  name: 'alert-bundle',
  text: `with ready as (select alert_id, opening, transition, channel from alert_notices n
        where n.channel = $2 and n.tenant_id = $3 and ${READY} for update skip locked),
      made as (insert into alert_deliveries (id, channel, tenant_id, state, created_at, due_at)
        select $1, $2, $3, 'due', ${at('$4')}, ${at('$4')} where exists (select from ready) returning 1)
    update alert_notices n set delivery_id = $1 from ready r
    where n.alert_id = r.alert_id and n.opening = r.opening and n.transition = r.transition and n.channel = r.channel
    returning 1`,
}
const TAKE_DUE = {
  name: 'alert-take-due',
  text: `with due as (select id from alert_deliveries where state = 'due' and due_at <= ${at('$4')}
        and (lease_until is null or lease_until <= ${at('$4')}) order by due_at, id limit $3 for update skip locked),
      taken as (update alert_deliveries d set lease_token = $1, attempts = d.attempts + 1,
        lease_until = ${at('$4')} + make_interval(secs => $2) from due where d.id = due.id returning d.*)
    select t.*, to_jsonb(k) as webhook, (select coalesce(jsonb_agg(jsonb_build_object('transition', n.transition,
        'alert', n.snapshot) order by n.alert_id, n.created_at, n.transition), '[]') from alert_notices n
        where n.delivery_id = t.id) as notices
    from taken t left join alert_webhooks k on t.channel = 'webhook' and k.tenant_id = t.tenant_id
    order by t.due_at, t.id`,
}
const SETTLE = {
  name: 'alert-settle',
  text: `with done as (update alert_deliveries set state = $3, lease_token = null, lease_until = null, status = $5,
        error = $6, due_at = case when $3 = 'due' then ${at('$7')} + make_interval(secs => $4) else due_at end,
        settled_at = case when $3 <> 'due' then ${at('$7')} end
      where id = $1 and lease_token = $2 returning id, state),
    told as (update alerts a set notified_at = ${at('$7')} from done join alert_notices n on n.delivery_id = done.id
      where done.state = 'sent' and n.transition <> 'resolved' and a.id = n.alert_id and a.count = n.opening
        and a.notified_at is null returning 1)
    select id from done`,
}
const REPORTS = {
  name: 'alert-reports',
  text: `select n.transition, n.opening, n.channel, n.tenant_id, coalesce(d.id, '') as id, coalesce(d.state, 'due') as state,
      coalesce(d.attempts, 0) as attempts, n.created_at, coalesce(d.due_at, n.created_at) as due_at, d.settled_at,
      d.status, d.error
    from alert_notices n left join alert_deliveries d on d.id = n.delivery_id
    where n.alert_id = $1 order by n.created_at, n.opening, n.channel, n.transition`,
}
const LATEST = {
  name: 'alert-latest-delivery',
  text: `select * from alert_deliveries where tenant_id = $1 and channel = 'webhook' order by id desc limit 1`,
}
const SET_WEBHOOK = {
  name: 'alert-set-webhook',
  text: `insert into alert_webhooks as k (tenant_id, url, secret, created_at) values ($1, $2, $3, ${at('$5')})
    on conflict (tenant_id) do update set url = excluded.url,
      secret = case when $4::boolean then excluded.secret else k.secret end returning *`,
}
const WEBHOOK = { name: 'alert-webhook', text: 'select * from alert_webhooks where tenant_id = $1' }
const WEBHOOKS = {
  name: 'alert-webhooks',
  text: 'select * from alert_webhooks order by tenant_id collate "C"',
}
const REMOVE_WEBHOOK = {
  name: 'alert-remove-webhook',
  text: 'delete from alert_webhooks where tenant_id = $1 returning tenant_id',
}

interface WebhookRow {
  readonly tenant_id: string
  readonly url: string
  readonly secret: string
  readonly created_at: string
}

interface ReportRow {
  readonly id: string
  readonly channel: port.AlertChannelName
  readonly tenant_id: string
  readonly state: port.DeliveryState
  readonly attempts: number
  readonly created_at: string
  readonly due_at: string
  readonly settled_at: string | null
  readonly status: number | null
  readonly error: string | null
}

type DeliveryRow = ReportRow & {
  readonly webhook: WebhookRow | null
  readonly notices: readonly { readonly transition: AlertTransition; readonly alert: AlertRow }[]
}

const toWebhook = (row: WebhookRow): port.AlertWebhook => ({
  tenantId: row.tenant_id,
  url: row.url,
  secret: row.secret,
  createdAt: instant(row.created_at),
})

const toReport = (row: ReportRow): port.DeliveryReport => ({
  id: row.id,
  channel: row.channel,
  tenantId: row.tenant_id,
  state: row.state,
  attempts: row.attempts,
  createdAt: instant(row.created_at),
  dueAt: instant(row.due_at),
  settledAt: maybeInstant(row.settled_at),
  status: given(row.status),
  error: given(row.error),
})

const toDelivery = (row: DeliveryRow): port.AlertDelivery => ({
  id: row.id,
  channel: row.channel,
  tenantId: row.tenant_id,
  attempts: row.attempts,
  createdAt: instant(row.created_at),
  notices: row.notices.map(({ transition, alert }) => ({ transition, alert: toAlert(alert) })),
  webhook: row.webhook === null ? undefined : toWebhook(row.webhook),
})

/** Deliveries of alerts in SQL. */
export class SqlAlertDeliveriesStore implements port.AlertDeliveriesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async waiting(): Promise<readonly port.AlertAudience[]> {
    type Row = { channel: port.AlertChannelName; tenant_id: string }
    const rows = await this.#session.rows<Row>(WAITING, [])
    return rows.map(({ channel, tenant_id }) => ({ channel, tenantId: tenant_id }))
  }

  async bundle(id: string, { channel, tenantId }: port.AlertAudience, now?: Date): Promise<boolean> {
    return (await this.#session.rows(BUNDLE, [id, channel, tenantId, now])).length > 0
  }

  async takeDue(
    { token, leaseSeconds, limit }: { token: string; leaseSeconds: number; limit: number },
    now?: Date,
  ): Promise<readonly port.AlertDelivery[]> {
    const rows = await this.#session.rows<DeliveryRow>(TAKE_DUE, [token, leaseSeconds, limit, now])
    return rows.map(toDelivery)
  }

  async settle(settlement: port.DeliverySettlement, now?: Date): Promise<boolean> {
    const { id, token, state, delaySeconds, status, error } = settlement
    return (await this.#session.rows(SETTLE, [id, token, state, delaySeconds, status, error, now])).length > 0
  }

  async reports(alertId: string) {
    type Row = ReportRow & { transition: AlertTransition; opening: number }
    const rows = await this.#session.rows<Row>(REPORTS, [alertId])
    return rows.map((row) => ({ ...toReport(row), transition: row.transition, opening: row.opening }))
  }

  async latest(tenantId: string): Promise<port.DeliveryReport | undefined> {
    const [row] = await this.#session.rows<ReportRow>(LATEST, [tenantId])
    return row === undefined ? undefined : toReport(row)
  }

  async setWebhook(
    webhook: Omit<port.AlertWebhook, 'createdAt'> & { readonly rotate: boolean },
    now?: Date,
  ): Promise<port.AlertWebhook> {
    const { tenantId, url, secret, rotate } = webhook
    const [row] = await this.#session.rows<WebhookRow>(SET_WEBHOOK, [tenantId, url, secret, rotate, now])
    if (row === undefined) throw new Error('the webhook statement returned no row')
    return toWebhook(row)
  }

  async webhook(tenantId: string): Promise<port.AlertWebhook | undefined> {
    const [row] = await this.#session.rows<WebhookRow>(WEBHOOK, [tenantId])
    return row === undefined ? undefined : toWebhook(row)
  }

  async webhooks(): Promise<readonly port.AlertWebhook[]> {
    return (await this.#session.rows<WebhookRow>(WEBHOOKS, [])).map(toWebhook)
  }

  async removeWebhook(tenantId: string): Promise<boolean> {
    return (await this.#session.rows(REMOVE_WEBHOOK, [tenantId])).length > 0
  }
}
