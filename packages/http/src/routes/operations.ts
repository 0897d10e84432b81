import { PERMISSIONS } from '@svc/core'
import { flag, freeObject, listOf, oneOf, shape, text } from '@svc/core/adapters'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json, UNBOUNDED } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { open } from '../gates/open.ts'

/** Operators may send a payload from a file, which may be larger than the bodies that hosts send. */
const MAX_INPUT_BYTES = 1024 * 1024
const MAX_ACTOR_CHARS = 128
/** Prefix of the name that a caller gives itself, so that no caller is taken for a signed-in person. */
const LOCAL = 'local:'
/** The actor's name if the caller gave none. */
const NAMELESS = 'unnamed'

const printable = /[^\x20-\x7e]/g

function actorOf(header: string | readonly string[] | undefined): string {
  const given =
    typeof header === 'string' ? header.replace(printable, '').trim().slice(0, MAX_ACTOR_CHARS) : ''
  return `${LOCAL}${given === '' ? NAMELESS : given}`
}

const entry = shape({
  name: text(1, 128),
  summary: text(1, 512),
  permission: oneOf(PERMISSIONS),
  changes: flag(),
})

/**
 * The operations over HTTP, without authentication: these routes belong on the control socket, whose file
 * mode is the gate. `Svc-Actor` is the caller's name in the audit log.
 */
export const operationRoutes = [
  route({
    name: 'operations.list',
    method: 'GET',
    path: '/operations',
    summary: 'Operations of the caller.',
    operatorErrors: true,
    gate: open,
    replies: {
      200: { description: 'The operations.', body: shape({ operations: listOf(entry, UNBOUNDED) }) },
    },
    handle: ({ plane }) =>
      json({
        operations: plane.operations.list.map(({ name, summary, permission, changes }) => ({
          name,
          summary,
          permission,
          changes,
        })),
      }),
  }),
  route({
    name: 'operations.run',
    method: 'POST',
    path: '/operations/{name}',
    summary: 'Run an operation.',
    operatorErrors: true,
    gate: open,
    body: jsonBody(freeObject(), MAX_INPUT_BYTES),
    reads: { 'Svc-Actor': 'Who asks, for the audit log.' },
    replies: {
      200: { description: "The operation's answer.", body: freeObject() },
      400: { description: 'Invalid JSON, or input that the operation does not take.' },
      404: { description: 'No such operation, or nothing by the name that the input gives.' },
      409: { description: 'A conflict, or a name that may mean several things.' },
      422: { description: 'A sending domain that is not verified, or an address that is not opened.' },
    },
    handle: async ({ plane, body, params, headers }) =>
      json(await plane.operations.run(params.name, body, actorOf(headers['svc-actor']))),
  }),
]
