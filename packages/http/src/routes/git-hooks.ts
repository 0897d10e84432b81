import { OPERATIONS } from '@svc/core'
import { type Fields, oneOf, read, shape } from '@svc/core/adapters'
import { defaulted, optional, type Struct } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { fieldsOf, type Shape } from '../exchange/body/shape.ts'
import { json } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { agentGate } from '../gates/agent-gate.ts'
import { licenseDeed } from '../gates/license-deed.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { INVALID } from './job-fields.ts'
import { operationRoute } from './operation-route.ts'

const PATH = '/api/v1/git/hooks'

/** Requests about git hooks, per license. */
const GIT_HOOKS: RouteLimit = { name: 'git-hooks', limit: 60, windowSeconds: 60 }

/** The operations behind the actions of the body. */
const ACTIONS = {
  upsert: 'git-hooks.add',
  update: 'git-hooks.update',
  rotate: 'git-hooks.rotate',
  delete: 'git-hooks.remove',
  list: 'git-hooks.list',
} as const
type Action = keyof typeof ACTIONS

const action = shape({ action: defaulted(oneOf(Object.keys(ACTIONS) as Action[]), 'upsert') })

const licensed = (name: string) => {
  const found = OPERATIONS.find((each) => each.name === name)?.licensed
  if (found === undefined) throw new Error(`${name} is no licensed operation`)
  return found
}

const optionally = ([name, field]: readonly [string, Shape]) =>
  [name, optional(field as unknown as Struct<unknown, unknown>)] as const

// Each action needs other fields: the operations say which, when they read their input.
const described: Struct<Readonly<Record<string, unknown>>, unknown> = shape({
  ...Object.fromEntries(
    [...fieldsOf(action as unknown as Shape), ...['add', 'update'].flatMap(fieldsOfOperation)].map(
      optionally,
    ),
  ),
} as unknown as Fields)

function fieldsOfOperation(verb: string): readonly (readonly [string, Shape])[] {
  return fieldsOf(licensed(`git-hooks.${verb}`).input as Shape)
}

const { list: _, ...mounted } = ACTIONS

/** Managing the git hooks of a license (docs/git.md). */
export const gitHookRoutes = [
  operationRoute('GET', PATH, 'git-hooks.list', agentGate(GIT_HOOKS), {
    summary: "List the license's git hooks.",
    answers: 'The hooks, without their secrets.',
  }),
  route({
    name: 'git-hooks.act.licensed',
    method: 'POST',
    path: PATH,
    summary: 'Make, change, rotate or delete a git hook of the license. Making it again changes nothing.',
    gate: licenseDeed('git-hooks', GIT_HOOKS),
    body: jsonBody(described),
    operations: Object.fromEntries(
      Object.entries(mounted).map(([word, operation]) => [operation, { action: word }]),
    ),
    replies: {
      200: {
        description: "The action's answer; the secret after `rotate` and when another one was set.",
        body: licensed('git-hooks.add').answer as Shape,
      },
      201: {
        description: 'The hook is new; its secret is told only now.',
        body: licensed('git-hooks.add').answer as Shape,
      },
      404: { description: 'A host or a hook that the license has not.' },
      409: { description: 'The license has as many hooks as it may.' },
      503: { description: 'No address or no key for secrets is configured.' },
      ...INVALID,
    },
    handle: async ({ plane, caller, body }) => {
      const { action: asked } = read(action, body)
      const { action: _asked, ...input } = body
      const answer = await plane.operations.runLicensed(caller.licenseId, ACTIONS[asked], input)
      return json(answer, undefined, answer.created === true ? 201 : 200)
    },
  }),
]
