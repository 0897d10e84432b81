import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import {
  flag,
  freeObject,
  instant,
  listOf,
  namedShape,
  oneOf,
  shape,
  text,
  type ViewOf,
  whole,
} from '../../kernel/validation.ts'
import { BREAKER_STATES } from '../../platform/deliveries/breaker.ts'
import type { DeliveryAttempt, EndpointDelivery, EndpointState } from './webhook-endpoint.ts'
import {
  DISABLED_REASONS,
  type DisabledReason,
  MAX_DESCRIPTION_CHARS,
  MAX_PATTERNS,
  MAX_URL_CHARS,
} from './webhook-endpoint.ts'
import type { DeliveryFilter } from './webhooks-store.ts'

/** States of a delivery as the API tells them. */
export const DELIVERY_VIEWS = [
  'pending',
  'sending',
  'delivered',
  'failed',
  'expired',
  'skipped',
  'cancelled',
] as const
type ViewState = (typeof DELIVERY_VIEWS)[number]

const HINT_CHARS = 4

const secondsOf = (at: Date | undefined): number => (at === undefined ? 0 : unixSeconds(at))

/**
 * Returns an endpoint as its license sees it. Operators see only the origin of its address, since the rest is
 * often a secret. `secretEnd` is the end of the secret, if it can be opened.
 */
export function endpointView(
  { endpoint, way, pending }: EndpointState,
  {
    isOwner,
    secretEnd,
    now,
  }: { readonly isOwner: boolean; readonly secretEnd: string | undefined; readonly now: Date },
) {
  const { id, licenseId, url, description, events, createdAt, updatedAt, oldSecretUntil } = endpoint
  const grace = oldSecretUntil !== undefined && oldSecretUntil > now ? unixSeconds(oldSecretUntil) : 0
  return {
    id,
    ...(isOwner ? {} : { license_id: licenseId }),
    url: isOwner ? url : new URL(url).origin,
    description,
    events,
    state: way.paused === undefined ? ('enabled' as const) : ('disabled' as const),
    ...(way.paused === undefined ? {} : { disabled_reason: way.paused as DisabledReason }),
    breaker: {
      state: way.breaker,
      consecutive_failures: way.consecutiveFailures,
      retry_at: way.breaker === 'closed' ? 0 : secondsOf(way.probeUntil ?? way.openUntil),
    },
    ...(secretEnd === undefined ? {} : { secret_hint: `whsec_…${secretEnd.slice(-HINT_CHARS)}` }),
    old_secret_valid_until: grace,
    pending,
    created_at: unixSeconds(createdAt),
    updated_at: unixSeconds(updatedAt),
    last_success_at: secondsOf(way.lastSuccessAt),
    last_failure_at: secondsOf(way.lastFailureAt),
    ...present('last_error', endpoint.lastError),
  }
}
/** An endpoint on the wire. Instants are in unix seconds, 0 if never. */
export type EndpointView = ReturnType<typeof endpointView>

const STATES: Readonly<Record<string, ViewState>> = { due: 'pending', sent: 'delivered' }

const stateView = ({ state, isLeased }: EndpointDelivery): ViewState =>
  isLeased ? 'sending' : (STATES[state] ?? (state as ViewState))

/** Returns a delivery on the wire. */
export function deliveryView(delivery: EndpointDelivery) {
  const { id, payload = '', type, attempts, dueAt, createdAt, settledAt, state, status, error } = delivery
  return {
    id,
    message_id: payload,
    type,
    state: stateView(delivery),
    attempt: attempts,
    next_attempt_at: state === 'due' ? unixSeconds(dueAt) : 0,
    created_at: unixSeconds(createdAt),
    delivered_at: state === 'sent' ? secondsOf(settledAt) : 0,
    ...present('last_status', status),
    ...present('last_error', error),
  }
}
/** A delivery on the wire. */
export type EndpointDeliveryView = ReturnType<typeof deliveryView>

/** Returns an attempt on the wire. */
export const attemptView = ({ n, at, durationMs, status, error, response }: DeliveryAttempt) => ({
  n,
  at: unixSeconds(at),
  duration_ms: durationMs,
  ...present('status', status),
  ...present('error', error),
  response,
})
/** An attempt on the wire. */
export type AttemptView = ReturnType<typeof attemptView>

/** Returns the states of rows that a state of the API stands for, and whether an attempt is under way. */
export const storedStates = (state: ViewState): Pick<DeliveryFilter, 'states' | 'isLeased'> =>
  state === 'pending' || state === 'sending'
    ? { states: ['due'], isLeased: state === 'sending' }
    : { states: [state === 'delivered' ? 'sent' : state] }

const count = whole(0, Number.MAX_SAFE_INTEGER)
const named = text(1, 64)
const word = optional(text(1, 64))

const endpoint = namedShape('WebhookEndpoint', {
  id: named,
  license_id: word,
  url: text(1, MAX_URL_CHARS),
  description: text(0, MAX_DESCRIPTION_CHARS),
  events: listOf(named, MAX_PATTERNS),
  state: oneOf(['enabled', 'disabled']),
  disabled_reason: optional(oneOf(DISABLED_REASONS)),
  breaker: shape({ state: oneOf(BREAKER_STATES), consecutive_failures: count, retry_at: count }),
  secret_hint: word,
  old_secret_valid_until: count,
  pending: count,
  created_at: count,
  updated_at: count,
  last_success_at: count,
  last_failure_at: count,
  last_error: word,
})
const delivery = namedShape('WebhookDelivery', {
  id: named,
  message_id: named,
  type: named,
  state: oneOf(DELIVERY_VIEWS),
  attempt: count,
  next_attempt_at: count,
  created_at: count,
  delivered_at: count,
  last_status: optional(count),
  last_error: word,
})
const attempt = namedShape('WebhookAttempt', {
  n: count,
  at: count,
  duration_ms: count,
  status: optional(count),
  error: word,
  response: text(0, 1024),
})
/** The body of a message: what its data are, its type says (docs/webhooks.md). */
const MESSAGE = { type: named, timestamp: instant(), data: freeObject() }
const message = namedShape('WebhookMessage', MESSAGE)
export type WebhookMessage = ViewOf<typeof MESSAGE>
const many = Number.POSITIVE_INFINITY

const RUN_LIMIT = { fallback: 50, max: 200 } as const

/** The input of a run. */
export const RUN_INPUT = {
  limit: defaulted(whole(1, RUN_LIMIT.max), RUN_LIMIT.fallback),
  endpoint_id: optional(text(5, 64)),
}

/** The answers of operations on webhooks. */
export const WEBHOOK_ANSWERS = {
  one: { endpoint },
  withSecret: { endpoint, secret: text(1, 64) },
  list: {
    endpoints: listOf(endpoint, many),
    event_types: listOf(named, many),
    next_cursor: optional(text(1, 200)),
  },
  show: {
    endpoint,
    deliveries: optional(listOf(delivery, many)),
    next_cursor: optional(text(1, 200)),
    delivery: optional(delivery),
    attempts: optional(listOf(attempt, many)),
    payload: optional(message),
  },
  removed: { ok: flag(), cancelled: count },
  test: { message_id: named, delivery_id: named },
  replay: { queued: count, truncated: optional(flag()) },
  run: {
    ok: flag(),
    claimed: count,
    delivered: count,
    retried: count,
    failed: count,
    expired: count,
    held: count,
    remaining: count,
  },
} as const
