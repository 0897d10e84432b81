import { idOf, scoped } from '../../database/scoped-statement.ts'
import type { Session } from '../../database/session.ts'
import { at } from '../../database/statement-time.ts'
import { given, instant, maybeInstant } from '../../database/values.ts'
import type { DeliveryState } from '../../deliveries/delivery.ts'
import type { Scope } from '../../scope.ts'
import type { AlertTransition } from '../alert-lifecycle.ts'
import { type AlertRow, toAlert } from '../alert-row-sql.ts'
import type * as port from './alert-deliveries-store.ts'

const READY = `n.delivery_id is null and (n.transition <> 'resolved' or exists (
  select from alert_notices o join deliveries d on d.id = o.delivery_id
  where o.alert_id = n.alert_id and o.opening = n.opening and o.channel = n.channel and o.transition <> 'resolved'
    and d.state = 'sent'))`
const WAITING = {
  name: 'alert-waiting',
  text: `select distinct n.channel, n.tenant_id from alert_notices n where ${READY} order by 1, 2`,
}
const BUNDLE = {
  name: 'alert-bundle',
  text: `with ready as (select alert_id, opening, transition, channel from alert_notices n
        where n.channel = $2 and n.tenant_id = $3 and ${READY} for update skip locked)
    update alert_notices n set delivery_id = $1 from ready r
    where n.alert_id = r.alert_id and n.opening = r.opening and n.transition = r.transition and n.channel = r.channel
    returning 1`,
}
const DIGEST = {
  name: 'alert-digest',
  text: `select to_jsonb(k) as webhook, b.addresses, (select coalesce(jsonb_agg(jsonb_build_object('transition', n.transition,
        'alert', n.snapshot) order by n.alert_id, n.created_at, n.transition), '[]') from alert_notices n
        where n.delivery_id = $1) as notices
    from (select) one left join alert_webhooks k on $2 = 'webhook' and k.tenant_id = $3
      left join alert_mailboxes b on $2 = 'mail' and b.tenant_id = $3`,
}
const ANNOUNCED = {
  name: 'alert-announced',
  text: `update alerts a set notified_at = ${at('$2')} from alert_notices n
    where n.delivery_id = $1 and n.transition <> 'resolved' and a.id = n.alert_id and a.count = n.opening
      and a.notified_at is null`,
}
const REPORTS = {
  name: 'alert-reports',
  text: `select n.transition, n.opening, n.channel, n.tenant_id, coalesce(d.id, '') as id, coalesce(d.state, 'due') as state,
      coalesce(d.attempts, 0) as attempts, n.created_at, coalesce(d.due_at, n.created_at) as due_at, d.settled_at,
      d.status, d.error
    from alert_notices n left join deliveries d on d.id = n.delivery_id
    where n.alert_id = $1 order by n.created_at, n.opening, n.channel, n.transition`,
}
const SET_WEBHOOK = {
  name: 'alert-set-webhook',
  text: `insert into alert_webhooks as k (tenant_id, url, secret, created_at) values ($1, $2, $3, ${at('$5')})
    on conflict (tenant_id) do update set url = excluded.url,
      secret = case when $4::boolean then excluded.secret else k.secret end returning *`,
}
const WEBHOOK = { name: 'alert-webhook', text: 'select * from alert_webhooks where tenant_id = $1' }
// Webhooks and addresses belong to tenants, and do not exist for a license.
const OWNERSHIP = { tenant: 'tenant_id = $1', license: '$1::text is null' }
const WEBHOOKS = scoped(
  'alert-webhooks',
  (isOwned) => `select * from alert_webhooks where ${isOwned} order by tenant_id collate "C"`,
  OWNERSHIP,
)
const REMOVE_WEBHOOK = {
  name: 'alert-remove-webhook',
  text: 'delete from alert_webhooks where tenant_id = $1 returning tenant_id',
}
const SET_MAILBOXES = {
  name: 'alert-set-mailboxes',
  text: `insert into alert_mailboxes as b (tenant_id, addresses, created_at) values ($1, $2::jsonb, ${at('$3')})
    on conflict (tenant_id) do update set addresses = excluded.addresses returning *`,
}
const MAILBOXES = scoped(
  'alert-mailboxes',
  (isOwned) => `select * from alert_mailboxes where ${isOwned} order by tenant_id collate "C"`,
  OWNERSHIP,
)
const REMOVE_MAILBOXES = {
  name: 'alert-remove-mailboxes',
  text: 'delete from alert_mailboxes where tenant_id = $1 returning tenant_id',
}

interface MailboxesRow {
  readonly tenant_id: string
  readonly addresses: readonly string[]
  readonly created_at: string
}

interface WebhookRow {
  readonly tenant_id: string
  readonly url: string
  readonly secret: string
  readonly created_at: string
}

interface ReportRow {
  readonly id: string
  readonly transition: AlertTransition
  readonly opening: number
  readonly channel: port.AlertChannelName
  readonly tenant_id: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly created_at: string
  readonly due_at: string
  readonly settled_at: string | null
  readonly status: number | null
  readonly error: string | null
}

interface DigestRow {
  readonly webhook: WebhookRow | null
  readonly addresses: readonly string[] | null
  readonly notices: readonly { readonly transition: AlertTransition; readonly alert: AlertRow }[]
}

const toWebhook = (row: WebhookRow): port.AlertWebhook => ({
  tenantId: row.tenant_id,
  url: row.url,
  secret: row.secret,
  createdAt: instant(row.created_at),
})

const toMailboxes = (row: MailboxesRow): port.AlertMailboxes => ({
  tenantId: row.tenant_id,
  addresses: row.addresses,
  createdAt: instant(row.created_at),
})

const toReport = (row: ReportRow): port.AlertDeliveryReport => ({
  id: row.id,
  transition: row.transition,
  opening: row.opening,
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

  async bundle(id: string, { channel, tenantId }: port.AlertAudience): Promise<boolean> {
    return (await this.#session.rows(BUNDLE, [id, channel, tenantId])).length > 0
  }

  async digest(delivery: port.AlertAudience & { readonly id: string }): Promise<port.AlertDigest> {
    const { id, channel, tenantId } = delivery
    const [row] = await this.#session.rows<DigestRow>(DIGEST, [id, channel, tenantId])
    const { webhook = null, addresses = null, notices = [] } = row ?? {}
    return {
      notices: notices.map(({ transition, alert }) => ({ transition, alert: toAlert(alert) })),
      webhook: webhook === null ? undefined : toWebhook(webhook),
      addresses: addresses ?? [],
    }
  }

  async announced(deliveryId: string, now?: Date): Promise<void> {
    await this.#session.rows(ANNOUNCED, [deliveryId, now])
  }

  async reports(alertId: string): Promise<readonly port.AlertDeliveryReport[]> {
    return (await this.#session.rows<ReportRow>(REPORTS, [alertId])).map(toReport)
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

  async webhooks(scope: Scope): Promise<readonly port.AlertWebhook[]> {
    return (await this.#session.rows<WebhookRow>(WEBHOOKS(scope), [idOf(scope)])).map(toWebhook)
  }

  async removeWebhook(tenantId: string): Promise<boolean> {
    return (await this.#session.rows(REMOVE_WEBHOOK, [tenantId])).length > 0
  }

  async setMailboxes(
    { tenantId, addresses }: Omit<port.AlertMailboxes, 'createdAt'>,
    now?: Date,
  ): Promise<port.AlertMailboxes> {
    const params = [tenantId, JSON.stringify(addresses), now]
    const [row] = await this.#session.rows<MailboxesRow>(SET_MAILBOXES, params)
    if (row === undefined) throw new Error('the mailboxes statement returned no row')
    return toMailboxes(row)
  }

  async mailboxes(scope: Scope): Promise<readonly port.AlertMailboxes[]> {
    return (await this.#session.rows<MailboxesRow>(MAILBOXES(scope), [idOf(scope)])).map(toMailboxes)
  }

  async removeMailboxes(tenantId: string): Promise<boolean> {
    return (await this.#session.rows(REMOVE_MAILBOXES, [tenantId])).length > 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { alertDeliveries: port.AlertDeliveriesStore } => ({
  alertDeliveries: new SqlAlertDeliveriesStore(session),
})
