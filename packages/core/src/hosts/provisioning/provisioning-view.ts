import { unixSeconds } from '../../kernel/clock.ts'
import { type Money, moneyText } from '../../kernel/money.ts'
import { present } from '../../kernel/present.ts'
import { type CatalogEntry, maxMonthly } from './catalog.ts'
import type { Order, ProviderName } from './order.ts'
import type { KnownCredential } from './provider-credentials.ts'
import type { OrderPreview } from './provisioning-orders.ts'
import type { OrderEvent, Reserved } from './provisioning-store.ts'
import type { StepResult, WorkResult } from './provisioning-worker.ts'
import type { ProviderServer } from './server-provider.ts'

/** Differences between the servers of a provider and the orders. */
export interface Reconciliation {
  readonly provider: ProviderName
  readonly planeId: string
  /** Servers of this control plane that no order knows. */
  readonly orphans: readonly ProviderServer[]
  /** Orders whose server the provider does not list. */
  readonly missing: readonly Order[]
  /** Orders whose server costs more now than is reserved for it, in minor units. */
  readonly overPrice: readonly { readonly order: Order; readonly minor: number }[]
}

/** Returns an order as answers show it: without its license key. */
export function orderView(order: Order) {
  const { monthlyMinor: minor, currency } = order
  return {
    id: order.id,
    license_id: order.licenseId,
    plan: order.plan,
    provider: order.provider,
    server_type: order.serverType,
    location: order.location,
    image: order.image,
    hostname: order.hostname,
    server_name: order.providerName,
    state: order.state,
    state_since: unixSeconds(order.stateSince),
    attempt: order.attempt,
    creates: order.creates,
    next_run_at: unixSeconds(order.nextRunAt),
    created_at: unixSeconds(order.createdAt),
    updated_at: unixSeconds(order.updatedAt),
    ...present('server_id', order.serverId),
    ...present('ipv4', order.ipv4),
    ...present('ipv6', order.ipv6),
    ...present('user_data_sha256', order.userDataSha256),
    ...(minor === undefined || currency === undefined ? {} : { reserves: moneyText({ minor, currency }) }),
    ...present('error_code', order.errorCode),
    ...present('error_detail', order.errorDetail),
  }
}
export type OrderView = ReturnType<typeof orderView>

/** Returns an entry of a history. */
export const orderEventView = (event: OrderEvent) => ({
  at: unixSeconds(event.at),
  from: event.from,
  to: event.to,
  step: event.step,
  outcome: event.outcome,
  ...present('http_status', event.httpStatus),
  ...present('correlation_id', event.correlationId),
  ...present('detail', event.detail),
})
export type OrderEventView = ReturnType<typeof orderEventView>

/** Returns a step as the worker answers it (docs/provisioning.md). */
export function stepView({ orderId, step, previousState, order, attempt, outcome }: StepResult) {
  return {
    order_id: orderId,
    step,
    previous_state: previousState,
    state: order.state,
    provider: order.provider,
    ...present('server_id', order.serverId),
    next_run_at: unixSeconds(order.nextRunAt),
    attempt,
    outcome,
    ...(outcome === 'advanced' ? {} : present('error_code', order.errorCode)),
  }
}
export type StepView = ReturnType<typeof stepView>

/** Returns the result of a call of the worker. */
export function workView(result: WorkResult) {
  if (!result.isOpen) return { ok: false as const, error: 'provisioning disabled', missing: result.missing }
  const results = result.results.map(stepView)
  const advanced = results.filter(({ outcome }) => outcome === 'advanced').length
  return { ok: true as const, advanced, results, remaining: result.remaining }
}

/** Returns an entry of the catalogue. */
export const catalogView = (entry: CatalogEntry) => ({
  plan: entry.plan,
  provider: entry.provider,
  server_type: entry.serverType,
  locations: entry.locations,
  image: entry.image,
  ssh_keys: entry.sshKeys,
  max_monthly: moneyText(maxMonthly(entry)),
  enabled: entry.enabled,
})
export type CatalogView = ReturnType<typeof catalogView>

const FINGERPRINT_CHARS = 12

/** Returns the known state of a token; of its digest only enough to tell two tokens apart. */
export const credentialView = ({ provider, source, fingerprint, credential }: KnownCredential) => ({
  provider,
  source,
  fingerprint: fingerprint.slice(0, FINGERPRINT_CHARS),
  state: credential?.fingerprint === fingerprint ? credential.state : ('unverified' as const),
  verified_at: credential?.fingerprint === fingerprint ? unixSeconds(credential.verifiedAt) : 0,
  rate_reset_at: unixSeconds(credential?.rateResetAt),
})
export type CredentialView = ReturnType<typeof credentialView>

/** Returns the ceiling and the amount left below it. */
export function budgetView({
  ceiling,
  reserved,
}: {
  ceiling: Money | undefined
  reserved: readonly Reserved[]
}) {
  const live = reserved.map(({ currency, minor, orders }) => ({
    amount: moneyText({ minor, currency }),
    orders,
  }))
  if (ceiling === undefined) return { reserved: live }
  const taken = reserved.find(({ currency }) => currency === ceiling.currency)?.minor ?? 0
  const left = moneyText({ minor: Math.max(ceiling.minor - taken, 0), currency: ceiling.currency })
  return { ceiling: moneyText(ceiling), left, reserved: live }
}
export type BudgetView = ReturnType<typeof budgetView>

/** Returns the cost of an order. */
export const previewView = ({ entry, licenseId, locations, price, reserves, left }: OrderPreview) => ({
  dry_run: true as const,
  plan: entry.plan,
  provider: entry.provider,
  license_id: licenseId,
  locations,
  price: moneyText(price),
  max_monthly: moneyText(maxMonthly(entry)),
  reserves: moneyText(reserves),
  ...present('left', left && moneyText(left)),
})
export type PreviewView = ReturnType<typeof previewView>

/** Returns a server of a provider. */
export const serverView = ({ id, name, labels, isRunning, ipv4 }: ProviderServer) => ({
  id,
  name,
  running: isRunning,
  ...present('order_id', labels.order),
  ...present('ipv4', ipv4),
})
export type ServerView = ReturnType<typeof serverView>

/** Returns how the provider and the orders differ. */
export const reconciliationView = ({ provider, planeId, orphans, missing, overPrice }: Reconciliation) => ({
  provider,
  plane_id: planeId,
  orphans: orphans.map(serverView),
  missing: missing.map(orderView),
  over_price: overPrice.map(({ order, minor }) => ({
    order_id: order.id,
    price: moneyText({ minor, currency: order.currency ?? '' }),
    ...present('reserves', orderView(order).reserves),
  })),
})
export type ReconciliationView = ReturnType<typeof reconciliationView>
