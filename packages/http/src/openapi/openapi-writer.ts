import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '@svc/core/adapters'
import { type Body, JSON_BODY_TYPE } from '../exchange/body/body.ts'
import { type Components, jsonSchema, type Shape } from '../exchange/body/shape.ts'
import type { NamedCall, ReplyDoc, Route, SecurityScheme } from '../exchange/route.ts'
import { SVC_LICENSE } from '../gates/license-deed.ts'
import { CREDENTIALS, FAULT, HEADERS_TOO_LARGE, refused, tooLarge, UNAVAILABLE } from './openapi-parts.ts'
import { TAGS } from './openapi-tags.ts'

/** A part of a document. */
export type Part = Readonly<Record<string, unknown>>

/** A request to the service and its answer. */
export interface Example {
  readonly status: number
  readonly request?: unknown
  readonly answer?: unknown
}
/** Examples by method and path of a route, or by the name of an operation. */
export type Examples = Readonly<Record<string, Example>>

const reference = (kind: string, name: string): Part => ({ $ref: `#/components/${kind}/${name}` })

/** Writes the operations of one document, and gathers the shapes and replies that they share. */
export class OpenApiWriter {
  readonly #components: Components
  readonly #replies = new Map<string, Part>()
  readonly #nouns = new Set<string>()
  readonly #examples: Examples

  constructor(components: Components, examples: Examples) {
    this.#components = components
    this.#examples = examples
  }

  /** The replies that have a name, in the order of their names. */
  get replies(): Part {
    return Object.fromEntries([...this.#replies].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** The nouns of the operations so far, each with its sentence, in the order of the nouns. */
  get tags(): readonly Part[] {
    return [...this.#nouns].sort().map((name) => ({ name, description: TAGS[name] }))
  }

  /** Returns the entry of a route. @throws TypeError for one without a name */
  operation(route: Route): Part {
    const { method, path, summary, gate, body } = route
    const example = this.#examples[`${method} ${path}`]
    const parameters = [...pathParameters(path), ...this.#queryParameters(route), ...headerParameters(route)]
    return {
      ...this.#named(nameOfRoute(route)),
      summary,
      description: credentialsOf(gate.security),
      security: gate.security.map((name) => ({ [name]: [] })),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(body === undefined
        ? {}
        : { requestBody: { required: true, content: this.#requestContent(body, example) } }),
      responses: this.#responses(allReplies(route), example),
    }
  }

  /** Returns the entry of one of a route's calls. All of them refuse alike. */
  call(route: Route, { name, summary, description, body, beside = {}, answer }: NamedCall): Part {
    const { required, properties } = jsonSchema(body, this.#components)
    const more = Object.fromEntries(
      Object.entries(beside).map(([field, shape]) => [field, jsonSchema(shape, this.#components)]),
    )
    const schema = {
      type: 'object',
      ...(required ? { required } : {}),
      properties: { ...Object(properties), ...more },
    }
    const success = { ...route.replies[200], body: answer } as ReplyDoc
    const example = this.#examples[name]
    const content = { [JSON_BODY_TYPE]: { schema, ...asExample(example?.request) } }
    return {
      ...this.#named(name),
      summary,
      description,
      security: route.gate.security.map((scheme) => ({ [scheme]: [] })),
      requestBody: { required: true, content },
      responses: this.#responses({ 200: success, ...refused(allReplies(route)) }, example),
    }
  }

  /** The name of an operation and the noun before its dot. @throws TypeError for a noun without a sentence */
  #named(name: string): Part {
    const noun = name.slice(0, name.indexOf('.'))
    if (TAGS[noun] === undefined) throw new TypeError(`${name}: say what its noun means`)
    this.#nouns.add(noun)
    return { operationId: name, tags: [noun] }
  }

  #queryParameters({ query = {}, queryShapes = {} }: Route): Part[] {
    return Object.entries<string>(query).map(([name, words]) => {
      const told = queryShapes[name]
      const schema = told === undefined ? TEXT : jsonSchema(told, this.#components)
      return parameter('query', schema)([name, words])
    })
  }

  #requestContent({ shape, types }: Body<unknown>, example: Example | undefined): Part {
    const media = shape === undefined ? {} : { schema: jsonSchema(shape, this.#components) }
    return Object.fromEntries(
      types.map((type) => [
        type,
        type === JSON_BODY_TYPE && shape !== undefined ? { ...media, ...asExample(example?.request) } : media,
      ]),
    )
  }

  #responses(replies: Readonly<Record<string, ReplyDoc>>, example: Example | undefined): Part {
    return Object.fromEntries(
      Object.entries(replies).map(([status, reply]) => [
        status,
        this.#response(status, reply, status === String(example?.status) ? example?.answer : undefined),
      ]),
    )
  }

  #response(status: string, reply: ReplyDoc, answer: unknown): Part {
    const { name } = reply
    if (name === undefined) return this.#described(status, reply, answer)
    const described = this.#described(status, reply, undefined)
    const known = this.#replies.get(name) ?? described
    if (!isDeepStrictEqual(known, described)) throw new TypeError(`two replies are named ${name}`)
    this.#replies.set(name, known)
    return reference('responses', name)
  }

  #described(status: string, { description, headers = {}, body, type }: ReplyDoc, answer: unknown): Part {
    const own = Object.entries(headers).map(([name, text]) => [
      name,
      { description: text, schema: { type: 'string' } },
    ])
    const content = this.#content(status, body, type, answer)
    return {
      description,
      ...(own.length === 0 ? {} : { headers: Object.fromEntries(own) }),
      ...(content === undefined ? {} : { content }),
    }
  }

  #content(
    status: string,
    body: Shape | undefined,
    type: string | undefined,
    answer: unknown,
  ): Part | undefined {
    if (type !== undefined) return { [type]: { schema: { type: 'string' } } }
    if (body !== undefined)
      return { [JSON_BODY_TYPE]: { schema: jsonSchema(body, this.#components), ...asExample(answer) } }
    return status >= '4' ? { [JSON_BODY_TYPE]: { schema: reference('schemas', 'Error') } } : undefined
  }
}

// openapi-typescript prints an `example` as a comment line by line, and leaves `examples` out.
const asExample = (value: unknown): Part => (value === undefined ? {} : { examples: { run: { value } } })

/** The name of a route. The form of an operation for license holders follows from the operation's name. */
function nameOfRoute({ name, operations = {}, method, path }: Route): string {
  const [only, ...others] = Object.keys(operations)
  if (name !== undefined) return name
  if (only === undefined || others.length > 0) throw new TypeError(`${method} ${path} has no name`)
  return `${only}.licensed`
}

/** Says which credentials open a route, any one of them. */
function credentialsOf(security: readonly SecurityScheme[]): string {
  const words = security.map((scheme) => CREDENTIALS[scheme])
  return words.length === 0 ? 'It needs no credential.' : `It needs ${words.join(', or ')}.`
}

const parameter =
  (place: string, schema: JsonSchema) =>
  ([name, description]: readonly [string, string]) => ({
    name,
    in: place,
    ...(description === '' ? {} : { description }),
    ...(place === 'path' ? { required: true } : {}),
    schema,
  })
const TEXT = { type: 'string' }

const pathParameters = (path: string): Part[] =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => parameter('path', TEXT)([name, '']))

const headerParameters = ({ reads = {}, gate: { deed, security } }: Route): Part[] =>
  Object.entries<string>({ ...reads, ...(deed && security.includes('apiToken') ? SVC_LICENSE : {}) }).map(
    parameter('header', TEXT),
  )

/** Returns the replies of a route by status, also those that every route may give. */
const allReplies = ({ body, gate, replies }: Route): Readonly<Record<string, ReplyDoc>> => ({
  ...(body === undefined ? {} : { 413: tooLarge(body.maxBytes) }),
  431: HEADERS_TOO_LARGE,
  500: FAULT,
  503: UNAVAILABLE,
  ...gate.replies,
  ...replies,
})
