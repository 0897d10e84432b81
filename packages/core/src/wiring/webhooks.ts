import { DeliveryRunner } from '../deliveries/delivery-runner.ts'
import { HttpWebhookChannel } from '../deliveries/webhook-channel-http.ts'
import type { Outbound } from '../net/outbound.ts'
import { ownAddresses } from '../net/own-addresses.ts'
import { AddressRules } from '../net/public-address.ts'
import type { Stores } from '../storage/storage.ts'
import { tellDisabled } from '../webhooks/endpoint-disabled.ts'
import { WebhookDeliveries } from '../webhooks/webhook-deliveries.ts'
import { WebhookMetrics } from '../webhooks/webhook-metrics.ts'
import { webhookSender } from '../webhooks/webhook-sender.ts'
import { webhookSettings } from '../webhooks/webhook-settings.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import type { Base } from './base.ts'

/** Wires the endpoints of licenses, and what is sent to them. */
export function webhooksOf(base: Base, outbound: Outbound) {
  const { config, metrics: registry } = base
  const settings = webhookSettings(config)
  // Ranges that are named for webhooks are private networks, where receivers often have no certificate.
  const plainHttp = config.webhooks.allowHttp === 'true' || config.outbound.allow.length > 0
  const isClosed = config.faults.webhooks !== undefined
  const rules = new AddressRules({ ...config.outbound, own: ownAddresses })
  const metrics = new WebhookMetrics(registry)
  const disabled = (stores: Pick<Stores, 'webhooks'>, id: string) => {
    metrics.disabled()
    return tellDisabled(stores, id, base.clock)
  }
  const channel = new HttpWebhookChannel(outbound, { plainHttp })
  const runner = new DeliveryRunner(base, webhookSender({ ...base, channel, settings, metrics, disabled }))
  const isAllowed = (address: string) => rules.admit(address) !== undefined
  const webhooks = new Webhooks({ ...base, settings, isClosed, plainHttp, isAllowed })
  const webhookDeliveries = new WebhookDeliveries({ ...base, webhooks, settings, runner, isClosed, disabled })
  return { webhooks, webhookDeliveries }
}
