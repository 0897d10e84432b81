import type { Base } from '../../platform/base.ts'
import { DeliveryRunner } from '../../platform/deliveries/delivery-runner.ts'
import { HttpWebhookChannel } from '../../platform/deliveries/webhook-channel-http.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import { ownAddresses } from '../../platform/net/own-addresses.ts'
import { AddressRules } from '../../platform/net/public-address.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import { tellDisabled } from './endpoint-disabled.ts'
import * as settings from './settings.ts'
import { WebhookDeliveries } from './webhook-deliveries.ts'
import { WebhookMetrics } from './webhook-metrics.ts'
import { webhookOperations } from './webhook-operations.ts'
import type { WebhookServices } from './webhook-read-operations.ts'
import { webhookSender } from './webhook-sender.ts'
import { webhookSettings } from './webhook-settings.ts'
import { Webhooks } from './webhooks.ts'
import type { WebhooksStore } from './webhooks-store.ts'

interface Needs {
  readonly outbound: Outbound
  readonly eventTypes: readonly string[]
}

/** The endpoints of licenses, and their deliveries. */
export const webhooks = featureOf<Needs>()({
  settings,
  sql: () => import('./webhooks-store-sql.ts'),
  services: servicesOf,
  operations: webhookOperations,
  events: ['webhook.ping', 'webhook.endpoint_disabled'],
  tasks: ({ webhookDeliveries }) => [
    { name: 'webhooks', run: silent((signal) => webhookDeliveries.drain(signal)) },
  ],
  purge: ({ webhookDeliveries }) => webhookDeliveries.purge(),
})

function servicesOf(base: Base, { outbound, eventTypes }: Needs): WebhookServices {
  const { config, metrics: registry } = base
  const settings = webhookSettings(config)
  // Ranges that are named for webhooks are private networks, where receivers often have no certificate.
  const plainHttp = config.webhooks.allowHttp === 'true' || config.outbound.allow.length > 0
  const isClosed = config.faults.webhooks !== undefined
  const rules = new AddressRules({ ...config.outbound, own: ownAddresses })
  const metrics = new WebhookMetrics(registry)
  const disabled = (stores: { webhooks: WebhooksStore }, id: string) => {
    metrics.disabled()
    return tellDisabled(stores, id, base.clock)
  }
  const channel = new HttpWebhookChannel(outbound, { plainHttp })
  const runner = new DeliveryRunner(base, webhookSender({ ...base, channel, settings, metrics, disabled }))
  const isAllowed = (address: string) => rules.admit(address) !== undefined
  const webhooks = new Webhooks({ ...base, settings, isClosed, plainHttp, isAllowed, eventTypes })
  const webhookDeliveries = new WebhookDeliveries({ ...base, webhooks, settings, runner, isClosed, disabled })
  return { webhooks, webhookDeliveries }
}
