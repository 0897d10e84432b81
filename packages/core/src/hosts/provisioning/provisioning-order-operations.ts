import { defaulted, optional } from 'superstruct'
import { flag, oneOf, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { PROVIDERS } from './order.ts'
import { PROVISIONING_ANSWERS } from './provisioning-answers.ts'
import type { ProvisioningOrders } from './provisioning-orders.ts'
import { orderEventView, orderView, previewView } from './provisioning-view.ts'

/** The services that operations on orders use. */
export interface OrderUses {
  readonly provisioningOrders: ProvisioningOrders
  readonly licenses: Licenses
}

const operation = operationOf<OrderUses>()
const order = text(1, 64)
const reads = { permission: 'platform.security', scope: 'platform', changes: false } as const
const changes = { permission: 'platform.admin', scope: 'platform', changes: true } as const

const create = operation({
  name: 'provision-orders.create',
  summary: 'order a server for a license; with dry_run only show its cost',
  ...changes,
  answer: PROVISIONING_ANSWERS.placed,
  input: {
    plan: text(1, 64),
    provider: optional(oneOf(PROVIDERS)),
    license_key: text(1, 512),
    hostname: optional(text(1, 63)),
    dry_run: defaulted(flag(), false),
  },
  run: async ({ provisioningOrders }, { license_key: licenseKey, dry_run: isDry, ...input }) => {
    const wanted = { ...input, licenseKey }
    if (isDry) return previewView(await provisioningOrders.preview(wanted))
    return { order: orderView(await provisioningOrders.create(wanted)) }
  },
})

const list = operation({
  name: 'provision-orders.list',
  summary: 'list orders for servers, newest first',
  ...reads,
  answer: PROVISIONING_ANSWERS.orders,
  input: { license: optional(text(1, 512)), limit: defaulted(whole(1, 1000), 50) },
  run: async ({ provisioningOrders, licenses }, { license, limit }, { scope }) => {
    const licenseId = license === undefined ? undefined : await licenses.resolve(scope, license)
    return { orders: (await provisioningOrders.list({ licenseId, limit })).map(orderView) }
  },
})

const show = operation({
  name: 'provision-orders.show',
  summary: 'show an order and its history',
  ...reads,
  answer: PROVISIONING_ANSWERS.story,
  input: { order },
  run: async ({ provisioningOrders }, input) => {
    const { order: found, events } = await provisioningOrders.show(input.order)
    return { order: orderView(found), events: events.map(orderEventView) }
  },
})

const cancel = operation({
  name: 'provision-orders.cancel',
  summary: 'take an order back; a server that was asked for is taken away',
  ...changes,
  answer: PROVISIONING_ANSWERS.order,
  input: { order },
  run: async ({ provisioningOrders }, input) => ({
    order: orderView(await provisioningOrders.cancel(input.order)),
  }),
})

const destroy = operation({
  name: 'provision-orders.destroy',
  summary: 'take the server of an order away, with all that is on it',
  ...changes,
  confirmed: true,
  answer: PROVISIONING_ANSWERS.order,
  input: { order },
  run: async ({ provisioningOrders }, input) => ({
    order: orderView(await provisioningOrders.destroy(input.order)),
  }),
})

const retry = operation({
  name: 'provision-orders.retry',
  summary: 'make the next step of an order due now',
  ...changes,
  answer: PROVISIONING_ANSWERS.order,
  input: { order },
  run: async ({ provisioningOrders }, input) => ({
    order: orderView(await provisioningOrders.retry(input.order)),
  }),
})

/** Operations on orders for servers. */
export const provisioningOrderOperations = [create, list, show, cancel, destroy, retry]
