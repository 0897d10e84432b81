import type { Credential } from '../../../hosts/provisioning/credential.ts'
import { CLEANING_STATES, mayHaveServer, type Order } from '../../../hosts/provisioning/order.ts'
import { secondsSince } from '../../../hosts/provisioning/order-timing.ts'
import { duration } from '../../../kernel/duration.ts'
import type { AlertCondition } from './alert-condition.ts'

/** A server that is to go may take this long in one state, in seconds. */
export const SLOW_DELETE_SECONDS = 1800

// Servers at providers are the platform's: the holder of a license can do nothing about them.
const ofPlatform = (
  rest: Pick<AlertCondition, 'dedupKey' | 'kind' | 'severity' | 'summary' | 'details'> &
    Partial<Pick<AlertCondition, 'event'>>,
): AlertCondition => ({ licenseId: '', tenantId: undefined, host: undefined, ...rest })

const ofOrder = (
  kind: AlertCondition['kind'],
  severity: AlertCondition['severity'],
  { id, provider, licenseId, state, errorCode: reason, serverId }: Order,
  summary: string,
): AlertCondition =>
  ofPlatform({
    ...{ dedupKey: `${kind}:${id}`, kind, severity, summary },
    details: { order_id: id, license_id: licenseId, provider, state, reason, server_id: serverId },
  })

const refusedToken = ({ provider }: Credential, orders: readonly Order[]): AlertCondition => {
  const held = orders.filter((order) => order.provider === provider && order.nextRunAt !== undefined).length
  return ofPlatform({
    dedupKey: `provider_token_invalid:${provider}`,
    kind: 'provider_token_invalid',
    severity: 'critical',
    summary: `${provider} does not take its token, ${held} orders wait: svc provision credential set`,
    details: { provider, orders: held },
  })
}

function unreadable(orders: readonly Order[]): AlertCondition[] {
  const odd = orders.filter(({ errorCode }) => errorCode === 'provider_protocol_error')
  return [...new Set(odd.map(({ provider }) => provider))].map((provider) => {
    const ids = odd.filter((order) => order.provider === provider).map(({ id }) => id)
    return ofPlatform({
      dedupKey: `provider_protocol_error:${provider}`,
      kind: 'provider_protocol_error',
      severity: 'warning',
      summary: `${provider} gives answers that it does not document: svc provision order show ${ids[0]}`,
      details: { provider, orders: ids.slice(0, 20) },
    })
  })
}

/** A failed order whose server no step takes away. */
const isKept = (order: Order): boolean =>
  order.state === 'failed_kept' ||
  (order.state === 'failed' && order.nextRunAt === undefined && mayHaveServer(order))

function troubleOf(order: Order, at: Date): AlertCondition[] {
  const { id, state, errorCode = 'unknown', stateSince } = order
  const seconds = secondsSince(stateSince, at)
  if (state === 'failed' && errorCode === 'multiple_servers') {
    const summary = `several servers are of the order ${id}, and all are paid for: svc provision reconcile`
    return [ofOrder('multiple_servers', 'critical', order, summary)]
  }
  if (isKept(order)) {
    const summary = `the failed order ${id} (${errorCode}) keeps a server that is paid for: svc provision order destroy`
    // A server that is paid for has an alert each day; a person's word is good for that one.
    const event = `day ${Math.floor(seconds / 86_400)}`
    const condition = ofOrder('server_kept', 'warning', order, summary)
    return [{ ...condition, dedupKey: `${condition.dedupKey}:${event}`, event }]
  }
  if (!CLEANING_STATES.has(state) || order.nextRunAt === undefined || seconds < SLOW_DELETE_SECONDS) return []
  const summary = `the server of the order ${id} has not gone for ${duration(seconds)}: svc provision order show ${id}`
  return [ofOrder('server_delete_slow', 'warning', order, summary)]
}

/** Returns the conditions about orders for servers, and about the tokens of their providers. */
export const provisioningConditions = (
  { orders, credentials }: { readonly orders: readonly Order[]; readonly credentials: readonly Credential[] },
  at: Date,
): AlertCondition[] => [
  ...credentials.filter(({ state }) => state === 'invalid').map((each) => refusedToken(each, orders)),
  ...unreadable(orders),
  ...orders.flatMap((order) => troubleOf(order, at)),
]
