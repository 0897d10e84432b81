import { Problem } from '../../../kernel/problem.ts'
import type { Scope } from '../../../kernel/scope.ts'
import type { Base } from '../../../platform/base.ts'
import type { DeliveryOutcome, DeliveryReport } from '../../../platform/deliveries/delivery.ts'
import type { WebhookChannel } from '../../../platform/deliveries/webhook-channel.ts'
import { OutboundRefused } from '../../../platform/net/outbound-refusal.ts'
import { expectedTarget, readTarget } from '../../../platform/net/target.ts'
import { placeOf } from '../../../platform/secrets/secrets-store.ts'
import { newWebhookSecret } from '../../../platform/signing/webhook-signature.ts'
import { type AlertWebhook, targetOf } from './alert-deliveries-store.ts'

/** Dependencies of `AlertWebhooks`. */
export interface AlertWebhooksParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'keyring'> {
  readonly channel: WebhookChannel
  /** Whether webhooks may use `http:`. */
  readonly plainHttp: boolean
}

/** A webhook with its latest delivery, if there is one. */
export interface ListedWebhook {
  readonly webhook: AlertWebhook
  readonly latest: DeliveryReport | undefined
}

/**
 * Webhooks for alerts: one address for each tenant, and one (`tenantId` is `''`) for alerts without a tenant.
 */
export class AlertWebhooks {
  readonly #parts: AlertWebhooksParts

  constructor(parts: AlertWebhooksParts) {
    this.#parts = parts
  }

  /**
   * Sets the address of a webhook. A new secret is made for a new webhook or if `rotate` is set, and only
   * then returned.
   * @throws Problem `invalid-input` for an address that is never called, `secrets-not-configured`
   */
  async set(input: {
    readonly tenantId: string
    readonly url: string
    readonly rotate: boolean
  }): Promise<{ readonly webhook: AlertWebhook; readonly secret: string | undefined }> {
    const { storage, clock, ids, plainHttp, keyring } = this.#parts
    checkAddress(input.url, plainHttp)
    const secret = newWebhookSecret((bytes) => ids.secret(bytes))
    const sealed = keyring.seal(secret, placeOf('alertWebhooks', input.tenantId))
    const set = { ...input, secret: sealed }
    const webhook = await storage.alertDeliveries.setWebhook(set, clock.statementTime())
    return { webhook, secret: webhook.secret === sealed ? secret : undefined }
  }

  /** @throws Problem `not-found` */
  async remove(tenantId: string): Promise<void> {
    if (!(await this.#parts.storage.alertDeliveries.removeWebhook(tenantId))) throw unset()
  }

  /** Returns the webhooks of a scope, each with its latest delivery. */
  async list(scope: Scope): Promise<readonly ListedWebhook[]> {
    const { alertDeliveries, deliveries } = this.#parts.storage
    const webhooks = await alertDeliveries.webhooks(scope)
    const latestOf = ({ tenantId }: AlertWebhook) =>
      deliveries.latest(targetOf({ channel: 'webhook', tenantId }))
    return Promise.all(webhooks.map(async (webhook) => ({ webhook, latest: await latestOf(webhook) })))
  }

  /** Sends a test message at once. @throws Problem `not-found` */
  async test(tenantId: string): Promise<DeliveryOutcome> {
    const { storage, clock, ids, channel, keyring } = this.#parts
    const webhook = await storage.alertDeliveries.webhook(tenantId)
    if (webhook === undefined) throw unset()
    const at = clock.now()
    const body = JSON.stringify({ type: 'alerts.test', timestamp: at.toISOString(), data: {} })
    const { url } = webhook
    const secret = keyring.open(webhook.secret, placeOf('alertWebhooks', tenantId))
    return channel.send({ url, secrets: [secret], id: ids.next('msg'), at, body, signal: undefined })
  }
}

const unset = () => new Problem('not-found', { detail: 'no webhook is set: svc alerts webhook-set sets one' })

function checkAddress(url: string, plainHttp: boolean): void {
  try {
    readTarget(url, { plainHttp })
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error
    throw new Problem('invalid-input', { details: [`url: ${expectedTarget(error, { plainHttp })}`] })
  }
}
