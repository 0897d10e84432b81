import { hash } from 'node:crypto'
import { type Answer, OPERATIONS } from '@svc/core'
import { type Fields, freeObject, type JsonSchema, type Licensee, oneOf, shape } from '@svc/core/adapters'
import type { Struct } from 'superstruct'
import type { Body } from '../exchange/body/body.ts'
import { jsonBody } from '../exchange/body/json-body.ts'
import { fieldsOf, type Shape } from '../exchange/body/shape.ts'
import { json } from '../exchange/reply.ts'
import {
  type Gate,
  type Method,
  type MountedOperations,
  type Replies,
  type Reply,
  type Route,
  route,
} from '../exchange/route.ts'
import { type RouteLimit, takeFrom } from '../gates/limit.ts'
import { INVALID } from './job-fields.ts'

/** Words and fields of a mounted operation that its own declaration does not give. */
export interface MountParts {
  /** The name of the route; needed if it has several operations. */
  readonly name?: string
  /** A sentence for the API document, instead of the operation's own summary. */
  readonly summary?: string
  /** The meaning of each query parameter, one for each input field of a GET or DELETE outside of the path. */
  readonly query?: Readonly<Record<string, string>>
  /** The input field that the choosing fields of the body stand behind; they come first if it is absent. */
  readonly choiceAfter?: string
  /** The meaning of the answer, for the API document. */
  readonly answers?: string
  /** Replies beside 200, 400 and the gate's. */
  readonly replies?: Replies
  readonly agent?: true
  /** A limit for each thing of a license that the named brace of the path stands for. */
  readonly perThing?: { readonly limit: RouteLimit; readonly param: string }
  /** Makes the reply of an answer that is not sent as it is, with 200. */
  readonly reply?: (answer: Answer) => Reply
  /** A field of the answer that the reply leaves out. */
  readonly leavesOut?: string
}

type Name = string | MountedOperations

/**
 * Mounts a licensed operation, or several that a field of the body chooses among:
 * `{ 'alerts.ack': { action: 'ack' } }`.
 * The input comes from the braces of the path, then from the query of a GET or DELETE, or the body of a POST.
 * @throws Error for an operation that is not licensed, or a query parameter without a meaning
 */
export function operationRoute(
  method: Exclude<Method, 'OPTIONS'>,
  path: string,
  name: Name,
  gate: Gate<Licensee>,
  parts: MountParts = {},
): Route {
  const operations = typeof name === 'string' ? { [name]: {} } : name
  const [first = ''] = Object.keys(operations)
  const { summary, licensed } = licensedOperation(first)
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, field = '']) => field)
  const fields = fieldsOf(licensed.input as Shape).filter(([field]) => !inPath.includes(field))
  const hasBody = method === 'POST'
  const {
    query = {},
    choiceAfter,
    agent,
    perThing,
    name: ownName,
    reply = (answer: Answer) => json(answer),
  } = parts
  return route({
    ...(ownName !== undefined && { name: ownName }),
    method,
    path,
    summary: parts.summary ?? sentence(summary),
    gate,
    operations,
    ...(agent && { agent }),
    ...(hasBody
      ? { body: bodyOf(fields, operations, choiceAfter) }
      : { query: described(first, fields, query), queryShapes: Object.fromEntries(fields) }),
    replies: {
      ...(fields.length > 0 || inPath.length > 0 ? INVALID : {}),
      ...answersOf(licensed.answer as Shape, parts),
    },
    handle: async ({ plane, caller, body, params, query }) => {
      if (perThing !== undefined) {
        // Anybody chooses the text of a path, and a window is named by something short.
        const thing = hash('sha256', (params as Readonly<Record<string, string>>)[perThing.param] ?? '')
        await takeFrom({ plane }, perThing.limit, `${caller.licenseId} ${thing}`)
      }
      const given = hasBody ? (body as Readonly<Record<string, unknown>>) : readQuery(fields, query)
      const input = { ...given, ...params }
      return reply(await plane.operations.runLicensed(caller.licenseId, chosen(operations, given), input))
    },
  })
}

function licensedOperation(name: string) {
  const operation = OPERATIONS.find((each) => each.name === name)
  const licensed = operation?.licensed
  if (operation === undefined || licensed === undefined) throw new Error(`${name} is no licensed operation`)
  return { ...operation, licensed }
}

/** The replies of a mounted operation: its answer comes with 200 where no other status of success stands. */
function answersOf(whole: Shape, { answers, replies = {}, leavesOut }: MountParts): Replies {
  const kept = fieldsOf(whole).filter(([field]) => field !== leavesOut)
  const answer = leavesOut === undefined ? whole : shape(Object.fromEntries(kept) as unknown as Fields)
  const told = Object.entries(replies).map(([status, reply]) => [
    status,
    status < '3' && reply.body === undefined ? { ...reply, body: answer } : reply,
  ])
  const isOther = told.some(([status]) => String(status) < '3')
  const plain = { 200: { description: answers ?? 'What the operation answers.', body: answer } }
  return { ...(isOther && answers === undefined ? {} : plain), ...Object.fromEntries(told) }
}

const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`

type NamedFields = ReturnType<typeof fieldsOf>

// The operation itself validates its input: the shape of the body is for the API document, and to choose by.
function bodyOf(
  fields: NamedFields,
  operations: MountedOperations,
  after: string | undefined,
): Body<unknown> {
  const choices = choicesOf(operations)
  const place = fields.findIndex(([name]) => name === after) + 1
  const all = Object.fromEntries(fields.toSpliced(place, 0, ...choices))
  const input = shape(all as unknown as Fields) as unknown as Struct<unknown, unknown>
  return choices.length > 0 ? jsonBody(input) : { ...jsonBody(freeObject()), shape: input }
}

/** The fields that choose among operations, with the words that each may have. */
function choicesOf(operations: MountedOperations): NamedFields {
  const fixed = Object.values(operations)
  const names = new Set(fixed.flatMap((fields) => Object.keys(fields)))
  return [...names].map((name) => [name, oneOf(fixed.flatMap((fields) => fields[name] ?? []))])
}

function described(
  name: string,
  fields: NamedFields,
  words: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  for (const [field] of fields) {
    if (words[field] === undefined) throw new Error(`${name}: say what the query parameter ${field} means`)
  }
  return words
}

/** Returns the operation whose fixed fields the input has. */
function chosen(operations: MountedOperations, input: Readonly<Record<string, unknown>>): string {
  const isMeant = (fixed: Readonly<Record<string, string>>) =>
    Object.entries(fixed).every(([field, value]) => input[field] === value)
  const [name] = Object.entries(operations).find(([, fixed]) => isMeant(fixed)) ?? []
  if (name === undefined) throw new Error('the shape of the body admits a body without an operation')
  return name
}

/** Reads texts of a query by the type of each field. An unreadable one stays a text, and is refused later. */
function readQuery(
  fields: NamedFields,
  query: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map(([name, { schema }]) => [name, readText(query[name], schema)]))
}

function readText(text: string | undefined, schema: unknown): unknown {
  const { type } = schema as JsonSchema
  if (type === 'integer' && text !== undefined && /^\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
