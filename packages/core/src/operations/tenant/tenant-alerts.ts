import type { Alert } from '../../alerts/alert.ts'
import type { ActInput } from '../../alerts/alert-act.ts'
import type { AlertPage, AlertQuery } from '../../alerts/alert-list.ts'
import type { OperatedAlerts } from '../../alerts/alert-operations.ts'
import { type Alerts, noAlert } from '../../alerts/alerts.ts'
import type { AlertScope } from '../../alerts/alerts-store.ts'
import type { AlertMailboxes } from '../../alerts/delivery/alert-mailboxes.ts'
import type { ListedWebhook } from '../../alerts/delivery/alert-webhooks.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** The alerts of one tenant. Others do not exist for it. */
export class TenantAlerts implements OperatedAlerts {
  readonly #tenantId: string
  readonly #alerts: Alerts
  readonly #licenses: TenantLicenses

  constructor(tenantId: string, alerts: Alerts, licenses: TenantLicenses) {
    this.#tenantId = tenantId
    this.#alerts = alerts
    this.#licenses = licenses
  }

  async scopeOf(licenseId: string): Promise<AlertScope> {
    await this.#licenses.require(licenseId)
    return this.#alerts.scopeOf(licenseId)
  }

  async list(query: AlertQuery): Promise<AlertPage> {
    return this.#alerts.list({ ...query, scope: await this.#within(query.scope) })
  }

  async act(input: ActInput): Promise<readonly Alert[]> {
    return this.#alerts.act({ ...input, scope: await this.#within(input.scope) })
  }

  async get(id: string): Promise<Alert | undefined> {
    const alert = await this.#alerts.get(id)
    return alert?.tenantId === this.#tenantId ? alert : undefined
  }

  now(): Date {
    return this.#alerts.now()
  }

  async story(id: string) {
    if ((await this.get(id)) === undefined) throw noAlert(id)
    return this.#alerts.story(id)
  }

  /** Returns the part of a scope that is the tenant's. */
  async #within({ licenseId }: AlertScope): Promise<AlertScope> {
    return licenseId === undefined ? { tenantId: this.#tenantId } : this.scopeOf(licenseId)
  }
}

/** The webhook of one tenant. */
export class TenantAlertWebhooks {
  readonly #tenantId: string
  readonly #webhooks: { list(): Promise<readonly ListedWebhook[]> }

  constructor(tenantId: string, webhooks: { list(): Promise<readonly ListedWebhook[]> }) {
    this.#tenantId = tenantId
    this.#webhooks = webhooks
  }

  async list(): Promise<readonly ListedWebhook[]> {
    return (await this.#webhooks.list()).filter(({ webhook }) => webhook.tenantId === this.#tenantId)
  }
}

/** The mail addresses for a tenant's alerts. */
export class TenantAlertMailboxes {
  readonly #tenantId: string
  readonly #mailboxes: Pick<AlertMailboxes, 'list'>

  constructor(tenantId: string, mailboxes: Pick<AlertMailboxes, 'list'>) {
    this.#tenantId = tenantId
    this.#mailboxes = mailboxes
  }

  async list(): ReturnType<AlertMailboxes['list']> {
    return (await this.#mailboxes.list()).filter(({ tenantId }) => tenantId === this.#tenantId)
  }
}
