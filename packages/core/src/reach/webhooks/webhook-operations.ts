import { defaulted, optional } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import { flag, listOf, oneOf, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { isEventPattern } from './event-patterns.ts'
import { hasControls, MAX_DESCRIPTION_CHARS, MAX_PATTERNS, MAX_URL_CHARS } from './webhook-endpoint.ts'
import { type WebhookServices, webhookReadOperations } from './webhook-read-operations.ts'
import { RUN_INPUT, WEBHOOK_ANSWERS } from './webhook-view.ts'

const operation = operationOf<WebhookServices>()

const GRACE_SECONDS = { fallback: 86_400, max: 604_800 } as const
const LAST_SECOND = 4_102_444_800
const REPLAYED = ['failed', 'expired', 'skipped', 'cancelled'] as const

const endpoint = text(5, 64)
const url = text(1, MAX_URL_CHARS)
const description = text(0, MAX_DESCRIPTION_CHARS)
const events = listOf(text(1, 64), MAX_PATTERNS)
const CHANGES = { permission: 'platform.admin', scope: 'platform', changes: true, licensed: true } as const

const invalid = (...details: readonly string[]) => new Problem('invalid-input', { details })

/** @throws Problem `invalid-input` */
function readEvents(
  given: readonly string[] | undefined,
  types: readonly string[],
): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (given.length === 0) throw invalid('events: expected 1 to 50 entries')
  if (new Set(given).size < given.length) throw invalid('events: expected each entry once')
  const unknown = given.findIndex((each) => !isEventPattern(each, types))
  if (unknown >= 0) throw invalid(`events.${unknown}: unknown event type`)
  return given
}

/** @throws Problem `invalid-input` */
function readDescription(given: string | undefined): string | undefined {
  if (given !== undefined && hasControls(given)) throw invalid('description: expected no control characters')
  return given
}

const add = operation({
  ...CHANGES,
  name: 'webhooks.add',
  summary: 'send events to an address; its secret is shown this once',
  answer: WEBHOOK_ANSWERS.withSecret,
  input: { url, events: optional(events), description: optional(description), enabled: optional(flag()) },
  run: async ({ webhooks }, input, _operator, { licenseId, isCaller }) => {
    if (licenseId === undefined) throw invalid('license: expected the license that the endpoint is for')
    const made = await webhooks.add({
      licenseId,
      url: input.url,
      events: readEvents(input.events, webhooks.eventTypes) ?? ['*'],
      description: readDescription(input.description) ?? '',
      enabled: input.enabled ?? true,
    })
    return { endpoint: webhooks.view(made.state, isCaller), secret: made.secret }
  },
})

const update = operation({
  ...CHANGES,
  name: 'webhooks.update',
  summary: 'change an endpoint, disable it or enable it',
  answer: WEBHOOK_ANSWERS.one,
  input: {
    endpoint,
    url: optional(url),
    events: optional(events),
    description: optional(description),
    enabled: optional(flag()),
  },
  run: async ({ webhooks }, { endpoint: id, ...input }, { scope }, { isCaller }) => {
    const change = {
      url: input.url,
      events: readEvents(input.events, webhooks.eventTypes),
      description: readDescription(input.description),
      enabled: input.enabled,
    }
    if (Object.values(change).every((each) => each === undefined)) throw invalid('body: nothing to change')
    return { endpoint: webhooks.view(await webhooks.update(scope, id, change), isCaller) }
  },
})

const remove = operation({
  ...CHANGES,
  name: 'webhooks.remove',
  summary: 'remove an endpoint; its waiting deliveries are cancelled',
  answer: WEBHOOK_ANSWERS.removed,
  input: { endpoint },
  run: async ({ webhooks }, { endpoint: id }, { scope }) => ({
    ok: true,
    cancelled: await webhooks.remove(scope, id),
  }),
})

const rotate = operation({
  ...CHANGES,
  name: 'webhooks.rotate',
  summary: 'make a new secret; the former one signs too for a while',
  answer: WEBHOOK_ANSWERS.withSecret,
  input: { endpoint, grace_seconds: defaulted(whole(0, GRACE_SECONDS.max), GRACE_SECONDS.fallback) },
  run: async ({ webhooks }, { endpoint: id, grace_seconds: grace }, { scope }, { isCaller }) => {
    const { state, secret } = await webhooks.rotate(scope, id, grace)
    return { endpoint: webhooks.view(state, isCaller), secret }
  },
})

const test = operation({
  ...CHANGES,
  name: 'webhooks.test',
  summary: 'send a test message to an endpoint with the next run',
  answer: WEBHOOK_ANSWERS.test,
  input: { endpoint },
  run: async ({ webhookDeliveries }, { endpoint: id }, { scope }) => {
    const { messageId, deliveryId } = await webhookDeliveries.test(scope, id)
    return { message_id: messageId, delivery_id: deliveryId }
  },
})

const moment = optional(whole(0, LAST_SECOND))
const instantOf = (seconds: number | undefined) =>
  seconds === undefined ? undefined : new Date(seconds * 1000)
/** The second that `until` names is meant whole: answers give instants in whole seconds. */
const behind = (seconds: number | undefined) => instantOf(seconds === undefined ? undefined : seconds + 1)

const replay = operation({
  ...CHANGES,
  name: 'webhooks.replay',
  summary: 'send messages again: one delivery, or all of a period',
  answer: WEBHOOK_ANSWERS.replay,
  input: {
    endpoint,
    delivery_id: optional(endpoint),
    since: moment,
    until: moment,
    states: optional(listOf(oneOf(REPLAYED), REPLAYED.length)),
    dry_run: optional(flag()),
  },
  run: async ({ webhookDeliveries }, { endpoint: id, delivery_id: deliveryId, ...input }, { scope }) => {
    const { states = REPLAYED, dry_run: isDry = false } = input
    if ((deliveryId === undefined) === (input.since === undefined))
      throw invalid('since: expected either delivery_id or since')
    if (states.length === 0) throw invalid('states: expected 1 to 4 entries')
    const chosen = { deliveryId, since: instantOf(input.since), until: behind(input.until), states }
    const done = isDry
      ? await webhookDeliveries.replayable(scope, id, chosen)
      : await webhookDeliveries.replay(scope, id, chosen)
    return { queued: done.queued, ...(done.truncated ? { truncated: true } : {}) }
  },
})

const resetBreaker = operation({
  ...CHANGES,
  name: 'webhooks.reset-breaker',
  summary: 'retry a failing endpoint now (closes its circuit breaker)',
  answer: WEBHOOK_ANSWERS.one,
  input: { endpoint },
  run: async ({ webhooks }, { endpoint: id }, { scope }, { isCaller }) => ({
    endpoint: webhooks.view(await webhooks.resetBreaker(scope, id), isCaller),
  }),
})

const run = operation({
  ...CHANGES,
  name: 'webhooks.run',
  summary: 'send due deliveries now',
  answer: WEBHOOK_ANSWERS.run,
  input: RUN_INPUT,
  run: async ({ webhookDeliveries }, { limit, endpoint_id: endpointId }, { scope }) => ({
    ok: true,
    ...(await webhookDeliveries.run({ scope, limit, endpointId })),
  }),
})

/** Operations on webhooks of licenses. */
export const webhookOperations = [
  ...webhookReadOperations,
  add,
  update,
  remove,
  rotate,
  test,
  replay,
  resetBreaker,
  run,
]
