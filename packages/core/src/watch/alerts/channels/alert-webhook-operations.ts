import { optional } from 'superstruct'
import { unixSeconds } from '../../../kernel/clock.ts'
import { present, presentSeconds } from '../../../kernel/present.ts'
import type { Scope } from '../../../kernel/scope.ts'
import { flag, listOf, namedShape, shape, text, whole } from '../../../kernel/validation.ts'
import type { Tenants } from '../../../people/tenants/tenants.ts'
import type { DeliveryReport } from '../../../platform/deliveries/delivery.ts'
import { operationOf } from '../../../platform/operations/operation.ts'
import type { AlertWebhook } from './alert-deliveries-store.ts'
import type { AlertWebhooks } from './alert-webhooks.ts'

/** The services that operations on webhooks of alerts use. */
export interface AlertWebhookUses {
  readonly alertWebhooks: AlertWebhooks
  readonly tenants: Tenants
}

const operation = operationOf<AlertWebhookUses>()

const tenant = optional(text(1, 128))

/** Returns the tenant that a caller names; `''` for alerts without a tenant. @throws Problem `not-found` */
export const tenantIdOf = async (
  scope: Scope,
  { tenants }: { readonly tenants: Tenants },
  given: string | undefined,
): Promise<string> => (given === undefined ? '' : (await tenants.resolve(scope, given)).id)

/**
 * Returns a webhook as operators see it. Only the origin of the address is shown, since the rest is often a
 * secret.
 */
const webhookView = ({ tenantId, url, createdAt }: AlertWebhook, latest?: DeliveryReport) => ({
  ...(tenantId === '' ? {} : { tenant_id: tenantId }),
  origin: new URL(url).origin,
  created_at: unixSeconds(createdAt),
  ...(latest === undefined ? {} : { latest_delivery: deliveryView(latest) }),
})
/** A webhook as operators see it. */
export type WebhookView = ReturnType<typeof webhookView>

const deliveryView = (report: DeliveryReport) => ({
  state: report.state,
  attempts: report.attempts,
  created_at: unixSeconds(report.createdAt),
  ...(report.state === 'due' ? { due_at: unixSeconds(report.dueAt) } : {}),
  ...presentSeconds('settled_at', report.settledAt),
  ...present('http_status', report.status),
  ...present('error', report.error),
})

const count = whole(0, Number.MAX_SAFE_INTEGER)
const described = namedShape('AlertWebhook', {
  tenant_id: optional(text(1, 64)),
  origin: text(1, 2048),
  created_at: count,
  latest_delivery: optional(shape({ state: text(1, 64), attempts: count, created_at: count })),
})

/** Operations on alert webhooks. */
export const alertWebhookOperations = [
  operation({
    name: 'alerts.webhooks',
    summary: 'list the webhooks and how their latest delivery went',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    answer: { webhooks: listOf(described, Number.POSITIVE_INFINITY) },
    input: {},
    run: async ({ alertWebhooks }, _, { scope }) => ({
      webhooks: (await alertWebhooks.list(scope)).map(({ webhook, latest }) => webhookView(webhook, latest)),
    }),
  }),
  operation({
    name: 'alerts.webhook-set',
    summary: "send a tenant's alerts to an address; its secret is shown when it is made",
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    answer: { webhook: described, secret: optional(text(0, 128)) },
    input: { tenant, url: text(1, 2048), rotate: optional(flag()) },
    run: async (services, { url, rotate = false, ...input }, { scope }) => {
      const tenantId = await tenantIdOf(scope, services, input.tenant)
      const { webhook, secret } = await services.alertWebhooks.set({ tenantId, url, rotate })
      return { webhook: webhookView(webhook), ...present('secret', secret) }
    },
  }),
  operation({
    name: 'alerts.webhook-remove',
    summary: "send a tenant's alerts nowhere",
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    answer: { ok: flag() },
    input: { tenant },
    run: async (services, input, { scope }) => {
      await services.alertWebhooks.remove(await tenantIdOf(scope, services, input.tenant))
      return { ok: true }
    },
  }),
  operation({
    name: 'alerts.webhook-test',
    summary: "send a test message to a tenant's webhook now",
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    answer: { delivered: flag(), http_status: optional(count), error: optional(text(0, 1024)) },
    input: { tenant },
    run: async (services, input, { scope }) => {
      const outcome = await services.alertWebhooks.test(await tenantIdOf(scope, services, input.tenant))
      const { delivered, status, error } = outcome
      return {
        delivered,
        ...present('http_status', status),
        ...present('error', error),
      }
    },
  }),
]
