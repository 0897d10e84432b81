import { RELEASE } from '@svc/core'
import type { JsonSchema } from '@svc/core/adapters'
import { type Body, JSON_BODY_TYPE } from '../exchange/body/body.ts'
import { jsonSchema, type Shape } from '../exchange/body/shape.ts'
import { type NamedCall, pathsOf, type ReplyDoc, type Route } from '../exchange/route.ts'
import { SVC_LICENSE } from '../gates/license-deed.ts'
import { ROUTES } from '../routes/index.ts'

import { errorBody, NAMED_SHAPES, SECURITY_SCHEMES } from './openapi-parts.ts'

type Part = Readonly<Record<string, unknown>>

const NAMED = Object.entries<Shape>(NAMED_SHAPES)
const NAMES = new Map(NAMED.map(([name, { schema }]) => [schema, name]))
const NAMED_SCHEMAS = Object.fromEntries(NAMED.map(([name, shape]) => [name, jsonSchema(shape)]))
const schemaOf = (shape: Shape): JsonSchema => jsonSchema(shape, NAMES)

/** The OpenAPI 3.1 document of a set of routes: the served routes in machine-readable form. */
export function openApiDocument(routes: readonly Route[] = ROUTES): Part {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    for (const path of pathsOf(route)) {
      const methods = paths[path] ?? {}
      methods[route.method.toLowerCase()] = operationOf(route, path)
      paths[path] = methods
      for (const call of route.calls ?? [])
        paths[path.replace(/\{[^}]+\}$/, call.name)] = { [route.method.toLowerCase()]: callOf(route, call) }
    }
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'svc',
      version: RELEASE,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: { Error: errorBody, ...NAMED_SCHEMAS } },
  }
}

const DESCRIPTION =
  'The HTTP surface of the control plane. Agent routes answer under `/v1` and `/api/v1` alike. Bodies are JSON with any Content-Type, except that `/login` reads a form when it says so; unknown keys are ignored; optional fields are left out, never null.'

function operationOf(route: Route, path: string): Part {
  const { summary, gate, body } = route
  const parameters = [...pathParameters(path), ...queryParameters(route), ...headerParameters(route)]
  return {
    operationId: operationIdOf(route.method, path),
    summary,
    security: gate.security.map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: { required: true, content: requestContent(body) } }),
    responses: responsesOf(route),
  }
}

/** Returns the document's entry for one of a route's calls. */
function callOf(route: Route, { name, summary, description, body, beside = {}, answer }: NamedCall): Part {
  const { required, properties } = schemaOf(body)
  const more = Object.fromEntries(Object.entries(beside).map(([field, shape]) => [field, schemaOf(shape)]))
  const schema = {
    type: 'object',
    ...(required ? { required } : {}),
    properties: { ...Object(properties), ...more },
  }
  const success = { ...route.replies[200], body: answer } as ReplyDoc
  return {
    operationId: name.replaceAll(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: [name.slice(0, name.indexOf('.'))],
    summary,
    description,
    security: route.gate.security.map((scheme) => ({ [scheme]: [] })),
    requestBody: { required: true, content: { [JSON_BODY_TYPE]: { schema } } },
    responses: responsesOf({ ...route, replies: { ...route.replies, 200: success } }),
  }
}

function requestContent({ shape, types }: Body<unknown>): Part {
  const media = shape === undefined ? {} : { schema: schemaOf(shape) }
  return Object.fromEntries(types.map((type) => [type, media]))
}

const operationIdOf = (method: string, path: string): string =>
  `${method.toLowerCase()}${path.replaceAll(/[{}.]/g, '').replaceAll(/[/-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`

const pathParameters = (path: string): Part[] =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const queryParameters = ({ query = {} }: Route): Part[] =>
  Object.entries<string>(query).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }))

const headerParameters = ({ reads = {}, gate: { deed, security } }: Route): Part[] =>
  Object.entries({ ...reads, ...(deed && security.includes('apiToken') ? SVC_LICENSE : {}) }).map(
    ([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    }),
  )

/** Returns the replies that a route may give besides its declared ones. */
function commonReplies({ body }: Route): Record<number, ReplyDoc> {
  return {
    ...(body === undefined ? {} : { 413: { description: `A body of more than ${body.maxBytes} bytes.` } }),
    500: { description: 'A fault of the service.' },
    503: {
      description: 'Out of order or too busy at the moment.',
      headers: { 'Retry-After': 'Whole seconds.' },
    },
  }
}

function responsesOf(route: Route): Part {
  const replies: Record<number, ReplyDoc> = {
    ...commonReplies(route),
    ...route.gate.replies,
    ...route.replies,
  }
  return Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => [status, responseOf(Number(status), reply)]),
  )
}

function responseOf(status: number, { description, headers = {}, body, type }: ReplyDoc): Part {
  const named = { 'Svc-Request-Id': 'Names the request in the log of the service.', ...headers }
  const content = contentOf(status, body === undefined ? undefined : schemaOf(body), type)
  return {
    description,
    headers: Object.fromEntries(
      Object.entries(named).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
    ),
    ...(content === undefined ? {} : { content }),
  }
}

function contentOf(
  status: number,
  schema: JsonSchema | undefined,
  type: string | undefined,
): Part | undefined {
  if (type !== undefined) return { [type]: { schema: { type: 'string' } } }
  if (schema !== undefined) return { [JSON_BODY_TYPE]: { schema } }
  return status >= 400 ? { [JSON_BODY_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } } : undefined
}
