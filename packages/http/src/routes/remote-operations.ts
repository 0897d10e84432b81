import { OPERATIONS } from '@svc/core'
import {
  freeObject,
  listOf,
  MAX_PASSWORD_CHARS,
  mayRun,
  namedShape,
  openShape,
  operatorOf,
  shape,
  text,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import type { Shape } from '../exchange/body/shape.ts'
import { json, UNBOUNDED } from '../exchange/reply.ts'
import { type NamedCall, route } from '../exchange/route.ts'
import { LIMITED } from '../gates/limit.ts'
import { operatorSession } from '../gates/session.ts'
import { MAX_CODE_CHARS } from './second-factor.ts'

const MAX_INPUT_BYTES = 1024 * 1024
const confirmation = namedShape('Confirmation', {
  current: text(1, MAX_PASSWORD_CHARS),
  // A page sends the field even if it is empty.
  code: optional(text(0, MAX_CODE_CHARS)),
})
/** The operations as documents list them. */
const calls = OPERATIONS.map((operation): NamedCall => {
  const { name, summary, input, answer, confirmed } = operation
  return {
    name,
    summary: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    description: callersOf(operation),
    body: input as Shape,
    ...(confirmed && { beside: { confirmation } }),
    answer: answer as Shape,
  }
})

/** Returns a sentence on the callers that may run an operation. */
function callersOf({ permission, scope, confirmed, personal }: (typeof OPERATIONS)[number]): string {
  const who = scope === 'tenant' ? "staff, and a tenant's people on their own things" : 'staff alone'
  const closed = confirmed || personal ? ' API tokens may not run it.' : ''
  const asked = confirmed ? ' It takes `confirmation`: the current password, and a code if there is one.' : ''
  return `Needs \`${permission}\`; for ${who}.${closed}${asked}`
}

const described = shape({ name: text(1, 128), summary: text(1, 512) })

/**
 * The operations over HTTPS, for people and API tokens with the permission that each operation requires
 * (`svc --url`). People and tokens of a tenant reach only that tenant's things.
 */
export const remoteOperationRoutes = [
  route({
    name: 'operations.list',
    method: 'GET',
    path: '/api/v1/operations',
    summary: 'The operations that the caller may run.',
    operatorErrors: true,
    gate: operatorSession,
    replies: {
      200: { description: 'The operations.', body: shape({ operations: listOf(described, UNBOUNDED) }) },
    },
    handle: ({ plane, caller: { caller } }) => {
      const operator = operatorOf(caller)
      const own = plane.operations.list.filter((operation) => mayRun(operator, operation))
      return json({ operations: own.map(({ name, summary }) => ({ name, summary })) })
    },
  }),
  route({
    name: 'operations.run',
    method: 'POST',
    path: '/api/v1/operations/{name}',
    summary:
      'Run an operation with the body as its input. Changes of users, `sessions.mint` and `tokens.issue` also take `confirmation` and no API token.',
    operatorErrors: true,
    gate: operatorSession,
    calls,
    body: jsonBody(openShape({ confirmation: optional(confirmation) }), MAX_INPUT_BYTES),
    replies: {
      ...LIMITED,
      200: { description: "The operation's answer.", body: freeObject() },
      400: { description: 'Invalid JSON, or input that the operation does not take.' },
      401: { description: 'No valid session or API token, or a wrong password or code in `confirmation`.' },
      403: {
        description:
          'A request from another site, a missing permission, an operation for platform staff or for people alone, or a missing `confirmation` (code `confirmation-required`): the current password, and a code, if the user has a second factor.',
      },
      404: { description: 'No such operation, or nothing by the name that the input gives.' },
      409: {
        description: 'A conflict, a name that may mean several things, or a caller without a password.',
      },
      422: { description: 'A sending domain that is not verified, or an address that is not opened.' },
    },
    handle: async ({ plane, caller: { caller, countTry, address }, body, params }) => {
      const { confirmation: credentials, ...input } = body
      if (credentials !== undefined) await countTry()
      return json(await plane.operations.runFor(caller, params.name, input, credentials, address))
    },
  }),
]
