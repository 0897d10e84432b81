import { defaulted, optional } from 'superstruct'
import { cursorBehind, idOfCursor, placeOfCursor } from '../../kernel/cursor.ts'
import { oneOf, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { WebhookDeliveries } from './webhook-deliveries.ts'
import {
  attemptView,
  DELIVERY_VIEWS,
  deliveryView,
  storedStates,
  WEBHOOK_ANSWERS,
  type WebhookMessage,
} from './webhook-view.ts'
import type { Webhooks } from './webhooks.ts'

/** The services that operations on webhooks use. */
export interface WebhookServices {
  readonly webhooks: Webhooks
  readonly webhookDeliveries: WebhookDeliveries
}

const operation = operationOf<WebhookServices>()

const LISTED = { fallback: 50, max: 100 } as const
const READS = { permission: 'platform.read', scope: 'tenant', changes: false, licensed: true } as const

const endpoint = text(5, 64)
const page = {
  limit: defaulted(whole(1, LISTED.max), LISTED.fallback),
  cursor: optional(text(1, 200)),
}

const list = operation({
  ...READS,
  name: 'webhooks.list',
  summary: 'list the endpoints that events are sent to',
  answer: WEBHOOK_ANSWERS.list,
  input: page,
  run: async ({ webhooks }, { limit, cursor }, { scope }, { isCaller }) => {
    const found = await webhooks.list(scope, {
      after: idOfCursor(cursor, 'whe'),
      limit: limit + 1,
    })
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      endpoints: shown.map((state) => webhooks.view(state, isCaller)),
      event_types: webhooks.eventTypes,
      ...(found.length > limit && last !== undefined ? { next_cursor: last.endpoint.id } : {}),
    }
  },
})

const show = operation({
  ...READS,
  name: 'webhooks.show',
  summary: 'show an endpoint with its deliveries, newest first, or one delivery',
  answer: WEBHOOK_ANSWERS.show,
  input: { endpoint, state: optional(oneOf(DELIVERY_VIEWS)), ...page, delivery: optional(endpoint) },
  run: async (
    { webhooks, webhookDeliveries },
    { endpoint: id, delivery, state, limit, cursor },
    { scope },
    { isCaller },
  ) => {
    if (delivery !== undefined) {
      const found = await webhookDeliveries.delivery(scope, id, delivery)
      return {
        endpoint: webhooks.view(found.state, isCaller),
        delivery: deliveryView(found.delivery),
        attempts: found.attempts.map(attemptView),
        payload: JSON.parse(found.body) as WebhookMessage,
      }
    }
    const found = await webhookDeliveries.deliveries(scope, id, {
      ...(state === undefined ? { states: undefined } : storedStates(state)),
      after: placeOfCursor(cursor, 'dlv'),
      limit: limit + 1,
    })
    const shown = found.deliveries.slice(0, limit)
    const last = shown.at(-1)
    const isMore = found.deliveries.length > limit && last !== undefined
    return {
      endpoint: webhooks.view(found.state, isCaller),
      deliveries: shown.map(deliveryView),
      ...(isMore ? { next_cursor: cursorBehind(last) } : {}),
    }
  },
})

/** Operations that read endpoints and their deliveries. */
export const webhookReadOperations = [list, show]
