import { OPERATIONS, Problem } from '@svc/core'
import { type Fields, freeObject, oneOf, shape, text } from '@svc/core/adapters'
import { optional, type Struct } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { fieldsOf, type Shape } from '../exchange/body/shape.ts'
import { json } from '../exchange/reply.ts'
import { type Replies, route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { licenseDeed } from '../gates/license-deed.ts'
import { licenseOrCron } from '../gates/license-or-cron.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { INVALID } from './job-fields.ts'
import { operationRoute } from './operation-route.ts'

const PATH = '/api/v1/webhooks/endpoints'
const ONE = '/api/v1/webhooks/endpoints/{endpoint}'

const READS: RouteLimit = { name: 'webhook-read', limit: 60, windowSeconds: 60 }
const CHANGES: RouteLimit = { name: 'webhook-change', limit: 20, windowSeconds: 60 }
const RUNS: RouteLimit = { name: 'webhook-run', limit: 12, windowSeconds: 60 }

/** The actions that the body of a POST to an endpoint names, with their operations and statuses. */
const ACTIONS = {
  rotate_secret: { operation: 'webhooks.rotate', status: 200 },
  test: { operation: 'webhooks.test', status: 202 },
  replay: { operation: 'webhooks.replay', status: 202 },
  reset_breaker: { operation: 'webhooks.reset-breaker', status: 200 },
} as const
type Action = keyof typeof ACTIONS
const UPDATED = ['url', 'events', 'description', 'enabled'] as const

const licensed = (name: string) => {
  const form = OPERATIONS.find((each) => each.name === name)?.licensed
  if (form === undefined) throw new Error(`${name} is no licensed operation`)
  return form
}
const answerOf = (name: string): Shape => licensed(name).answer as Shape

/** All fields that a POST to an endpoint may have. */
const changeBody = shape({
  action: optional(oneOf(Object.keys(ACTIONS) as Action[])),
  ...Object.fromEntries(
    ['webhooks.update', ...Object.values(ACTIONS).map(({ operation }) => operation)]
      .flatMap((name) => fieldsOf(licensed(name).input as Shape))
      .filter(([field]) => field !== 'endpoint'),
  ),
})

const UNKNOWN: Replies = { 404: { description: 'An endpoint that the license has not.' } }
const CLOSED: Replies = { 503: { description: 'Webhooks or the storage of secrets are not configured.' } }
const conflict = shape({ error: text(1, 64), id: optional(text(1, 64)) })

/** Answers a conflict of endpoints with the id of the one that is there. */
const orConflict = (error: unknown) => {
  if (!(error instanceof Problem) || error.code !== 'conflict') throw error
  const [id] = error.data.candidates ?? []
  if (id === undefined) return json({ error: error.data.detail ?? 'conflict' }, {}, 409)
  return json({ error: 'endpoint already exists', id }, {}, 409)
}
const CONFLICT: Replies = {
  409: {
    description: 'An endpoint with this address, whose id is told, or too many endpoints.',
    body: conflict,
  },
}

/** The shape of one answer of several: fields that not all of them have may be absent. */
function eitherOf(...names: readonly string[]): Shape {
  const answers = names.map((name) => new Map(fieldsOf(answerOf(name))))
  const fields = answers.flatMap((answer) => [...answer]) as unknown as [string, Struct<unknown, unknown>][]
  const told = fields.map(([name, field]) => [
    name,
    answers.every((answer) => answer.has(name)) ? field : optional(field),
  ])
  return shape(Object.fromEntries(told) as Fields) as Shape
}

const add = route({
  method: 'POST',
  path: PATH,
  summary: 'Send events to an address. The secret is shown this once.',
  gate: licenseDeed('webhook-endpoints', CHANGES),
  operations: { 'webhooks.add': {} },
  body: { ...jsonBody(freeObject()), shape: licensed('webhooks.add').input as Shape },
  replies: {
    201: { description: 'The endpoint and its secret.', body: answerOf('webhooks.add') },
    ...INVALID,
    ...CONFLICT,
    ...CLOSED,
  },
  handle: ({ plane, caller, body }) =>
    plane.operations
      .runLicensed(caller.licenseId, 'webhooks.add', body)
      .then((answer) => json(answer, {}, 201), orConflict),
})

/** Returns the operation that a body asks for. @throws Problem `invalid-input` for two at once */
function asked(body: Readonly<Record<string, unknown>>) {
  const { action } = body
  if (action === undefined) return { operation: 'webhooks.update', status: 200 }
  const mixed = UPDATED.find((field) => body[field] !== undefined)
  if (mixed !== undefined) throw new Problem('invalid-input', { details: [`${mixed}: not beside an action`] })
  const known = typeof action === 'string' && Object.hasOwn(ACTIONS, action)
  if (!known) {
    const words = Object.keys(ACTIONS).join(', ')
    throw new Problem('invalid-input', { details: [`action: expected one of ${words}`] })
  }
  return ACTIONS[action as Action]
}

const change = route({
  name: 'webhooks.act.licensed',
  method: 'POST',
  path: ONE,
  summary:
    'Change an endpoint, or act on it: rotate its secret, test it, replay messages, close its breaker.',
  gate: licenseDeed('webhook-endpoints', CHANGES),
  operations: {
    'webhooks.update': {},
    ...Object.fromEntries(Object.entries(ACTIONS).map(([action, { operation }]) => [operation, { action }])),
  },
  body: { ...jsonBody(freeObject()), shape: changeBody as unknown as Shape },
  replies: {
    200: {
      description: 'The endpoint; with a new secret if it was rotated.',
      body: eitherOf('webhooks.update', 'webhooks.rotate', 'webhooks.reset-breaker'),
    },
    202: {
      description: 'The queued messages: a test, or the number of messages that are sent again.',
      body: eitherOf('webhooks.test', 'webhooks.replay'),
    },
    ...INVALID,
    ...UNKNOWN,
    ...CONFLICT,
    ...CLOSED,
  },
  handle: async ({ plane, caller, body, params }) => {
    const { operation, status } = asked(body)
    return plane.operations
      .runLicensed(caller.licenseId, operation, { ...body, endpoint: params.endpoint })
      .then((answer) => json(answer, {}, status), orConflict)
  },
})

const run = route({
  method: 'POST',
  path: '/api/v1/webhooks/run',
  summary: 'Send due deliveries: for a license its own, for the cron all.',
  gate: licenseOrCron(RUNS),
  operations: { 'webhooks.run': {} },
  body: { ...jsonBody(freeObject()), shape: licensed('webhooks.run').input as Shape },
  replies: {
    200: { description: 'The work done, and the rest.', body: answerOf('webhooks.run') },
    ...INVALID,
    ...UNKNOWN,
    ...CLOSED,
  },
  handle: async ({ plane, caller, body }) =>
    json(
      caller === undefined
        ? await plane.webhookDeliveries.runAll(body)
        : await plane.operations.runLicensed(caller.licenseId, 'webhooks.run', body),
    ),
})

/** Webhooks of a license (docs/webhooks.md). */
export const webhookRoutes = [
  add,
  operationRoute('GET', PATH, 'webhooks.list', agentGate(READS), {
    summary: "List the license's endpoints, and the types of events that there are.",
    query: {
      limit: 'Endpoints at most, 1 to 100, 50 when not given.',
      cursor: '`next_cursor` of an earlier answer.',
    },
    answers: 'The endpoints; `next_cursor` when there are more.',
  }),
  change,
  operationRoute('GET', ONE, 'webhooks.show', agentGate(READS), {
    summary: 'Show an endpoint with its deliveries, newest first, or one delivery with its attempts.',
    query: {
      state: 'Only deliveries in this state.',
      limit: 'Deliveries at most, 1 to 100, 50 when not given.',
      cursor: '`next_cursor` of an earlier answer.',
      delivery: 'The id of one delivery.',
    },
    answers: 'The endpoint and its deliveries; for one delivery its attempts and its payload.',
    replies: UNKNOWN,
  }),
  operationRoute('DELETE', ONE, 'webhooks.remove', licenseDeed('webhook-endpoints', CHANGES), {
    answers: 'How many messages were cancelled that waited.',
    replies: UNKNOWN,
  }),
  run,
]
