import { freeObject, listOf, may, Problem, shape, text } from '@svc/core'
import { operatorSession } from '../gates/session.ts'
import { json } from '../reply.ts'
import { route } from '../route.ts'
import { jsonBody } from '../schema.ts'
import { LISTED } from './listed.ts'

const MAX_INPUT_BYTES = 1024 * 1024
const described = shape({ name: text(1, 128), summary: text(1, 512) })

/** The operations over HTTPS, for platform staff with the permission that each asks (`svc --url`). */
export const remoteOperationRoutes = [
  route({
    method: 'GET',
    path: '/api/v1/operations',
    summary: 'What the caller may do.',
    explains: true,
    gate: operatorSession,
    replies: {
      200: { description: 'The operations.', body: shape({ operations: listOf(described, LISTED) }) },
    },
    handle: ({ plane, caller }) => {
      const own = plane.operations.list.filter(({ permission }) => may(caller.user, permission))
      return json({ operations: own.map(({ name, summary }) => ({ name, summary })) })
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/operations/{name}',
    summary: 'Run an operation.',
    explains: true,
    gate: operatorSession,
    body: jsonBody(freeObject(), MAX_INPUT_BYTES),
    replies: {
      200: { description: 'What the operation answers.', body: freeObject() },
      400: { description: 'Invalid JSON, or input that the operation does not take.' },
      404: { description: 'No such operation, or nothing by the name that the input gives.' },
      409: { description: 'A conflict, or a name that may mean several things.' },
    },
    handle: async ({ plane, caller, body, params }) => {
      const { user } = caller
      const operation = plane.operations.list.find(({ name }) => name === params.name)
      if (operation !== undefined && !may(user, operation.permission)) {
        plane.log.info({ user: user.id, operation: operation.name }, 'operation refused')
        throw new Problem('forbidden', { detail: `${operation.name} needs ${operation.permission}` })
      }
      return json(await plane.operations.run(params.name, body, user.email))
    },
  }),
]
