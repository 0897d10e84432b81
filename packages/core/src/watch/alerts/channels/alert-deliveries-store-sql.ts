import { sql } from 'kysely'
import type { Scope } from '../../../kernel/scope.ts'
import type { Session } from '../../../platform/database/session.ts'
import { atOrNow, type Timed } from '../../../platform/database/typed-statement.ts'
import { given, instant, maybeInstant } from '../../../platform/database/values.ts'
import type { DeliveryState } from '../../../platform/deliveries/delivery.ts'
import type { AlertTransition } from '../alert-lifecycle.ts'
import { scoped, statement, toAlert, toMailboxes, toWebhook } from '../alert-tables-sql.ts'
import type * as port from './alert-deliveries-store.ts'

interface OfTenant {
  readonly tenantId: string
}
type NewWebhook = Omit<port.AlertWebhook, 'createdAt'> & { readonly rotate: boolean }

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
        'alert', n.snapshot) order by n.alert_id, n.opening, n.created_at, n.transition), '[]') from alert_notices n
        where n.delivery_id = $1) as notices
    from (select) one left join alert_webhooks k on $2 = 'webhook' and k.tenant_id = $3
      left join alert_mailboxes b on $2 = 'mail' and b.tenant_id = $3`,
}
const ANNOUNCED = statement(
  'alert-announced',
  (tables, { deliveryId, now }: Timed & { deliveryId: string }) =>
    tables
      .updateTable('alerts as a')
      .from('alert_notices as n')
      .set({ notified_at: atOrNow(now) })
      .where('n.delivery_id', '=', deliveryId)
      .where('n.transition', '<>', 'resolved')
      .whereRef('a.id', '=', 'n.alert_id')
      .whereRef('a.count', '=', 'n.opening')
      .where('a.notified_at', 'is', null),
)
const REPORTS = statement('alert-reports', (tables, { alertId }: { alertId: string }) =>
  tables
    .selectFrom('alert_notices as n')
    .leftJoin('deliveries as d', 'd.id', 'n.delivery_id')
    .select([
      sql<string>`coalesce(d.id, '')`.as('id'),
      sql<DeliveryState>`coalesce(d.state, 'due')`.as('state'),
      sql<number>`coalesce(d.attempts, 0)`.as('attempts'),
      sql<string>`coalesce(d.due_at, n.created_at)`.as('due_at'),
    ])
    .select(['n.transition', 'n.opening', 'n.channel', 'n.tenant_id', 'n.created_at'])
    .select(['d.settled_at', 'd.status', 'd.error'])
    .where('n.alert_id', '=', alertId)
    .orderBy('n.created_at')
    .orderBy('n.opening')
    .orderBy('n.channel')
    .orderBy('n.transition'),
)
const SET_WEBHOOK = statement('alert-set-webhook', (tables, given: NewWebhook & Timed) =>
  tables
    .insertInto('alert_webhooks')
    .values({
      tenant_id: given.tenantId,
      url: given.url,
      secret: given.secret,
      created_at: atOrNow(given.now),
    })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet(({ ref }) => ({
        url: ref('excluded.url'),
        secret: sql<string>`case when ${given.rotate}::boolean then excluded.secret else alert_webhooks.secret end`,
      })),
    )
    .returningAll(),
)
const WEBHOOK = statement('alert-webhook', (tables, { tenantId }: OfTenant) =>
  tables.selectFrom('alert_webhooks').selectAll().where('tenant_id', '=', tenantId),
)
// Webhooks and addresses belong to tenants, and do not exist for a license.
const OWNERSHIP = { tenant: 'tenant_id = $1', license: '$1::text is null' }
const WEBHOOKS = scoped(
  'alert-webhooks',
  (tables, _, isOwned) =>
    tables.selectFrom('alert_webhooks').selectAll().where(isOwned).orderBy(sql`tenant_id collate "C"`),
  OWNERSHIP,
)
const REMOVE_WEBHOOK = statement('alert-remove-webhook', (tables, { tenantId }: OfTenant) =>
  tables.deleteFrom('alert_webhooks').where('tenant_id', '=', tenantId).returning('tenant_id'),
)
const SET_MAILBOXES = statement(
  'alert-set-mailboxes',
  (tables, given: OfTenant & Timed & { addresses: string }) =>
    tables
      .insertInto('alert_mailboxes')
      .values({
        tenant_id: given.tenantId,
        addresses: sql<readonly string[]>`${given.addresses}::jsonb`,
        created_at: atOrNow(given.now),
      })
      .onConflict((conflict) =>
        conflict.column('tenant_id').doUpdateSet(({ ref }) => ({ addresses: ref('excluded.addresses') })),
      )
      .returningAll(),
)
const MAILBOXES = scoped(
  'alert-mailboxes',
  (tables, _, isOwned) =>
    tables.selectFrom('alert_mailboxes').selectAll().where(isOwned).orderBy(sql`tenant_id collate "C"`),
  OWNERSHIP,
)
const REMOVE_MAILBOXES = statement('alert-remove-mailboxes', (tables, { tenantId }: OfTenant) =>
  tables.deleteFrom('alert_mailboxes').where('tenant_id', '=', tenantId).returning('tenant_id'),
)

interface DigestRow {
  readonly webhook: object | null
  readonly addresses: readonly string[] | null
  readonly notices: readonly { readonly transition: AlertTransition; readonly alert: object }[]
}

type ReportRow = Awaited<ReturnType<typeof REPORTS.run>>[number]

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
    await ANNOUNCED.run(this.#session, { deliveryId, now })
  }

  async reports(alertId: string): Promise<readonly port.AlertDeliveryReport[]> {
    return (await REPORTS.run(this.#session, { alertId })).map(toReport)
  }

  async setWebhook(webhook: NewWebhook, now?: Date): Promise<port.AlertWebhook> {
    const [row] = await SET_WEBHOOK.run(this.#session, { ...webhook, now })
    if (row === undefined) throw new Error('the webhook statement returned no row')
    return toWebhook(row)
  }

  async webhook(tenantId: string): Promise<port.AlertWebhook | undefined> {
    return (await WEBHOOK.run(this.#session, { tenantId })).map(toWebhook)[0]
  }

  async webhooks(scope: Scope): Promise<readonly port.AlertWebhook[]> {
    return (await WEBHOOKS.run(this.#session, scope, {})).map(toWebhook)
  }

  async removeWebhook(tenantId: string): Promise<boolean> {
    return (await REMOVE_WEBHOOK.run(this.#session, { tenantId })).length > 0
  }

  async setMailboxes(
    { tenantId, addresses }: Omit<port.AlertMailboxes, 'createdAt'>,
    now?: Date,
  ): Promise<port.AlertMailboxes> {
    const given = { tenantId, addresses: JSON.stringify(addresses), now }
    const [row] = await SET_MAILBOXES.run(this.#session, given)
    if (row === undefined) throw new Error('the mailboxes statement returned no row')
    return toMailboxes(row)
  }

  async mailboxes(scope: Scope): Promise<readonly port.AlertMailboxes[]> {
    return (await MAILBOXES.run(this.#session, scope, {})).map(toMailboxes)
  }

  async removeMailboxes(tenantId: string): Promise<boolean> {
    return (await REMOVE_MAILBOXES.run(this.#session, { tenantId })).length > 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { alertDeliveries: port.AlertDeliveriesStore } => ({
  alertDeliveries: new SqlAlertDeliveriesStore(session),
})
