import { RELEASE } from '@svc/core'
import { Components } from '../exchange/body/shape.ts'
import type { Route } from '../exchange/route.ts'
import { ROUTES } from '../routes/index.ts'
import { errorBody, SECURITY_SCHEMES } from './openapi-parts.ts'
import { type Examples, OpenApiWriter, type Part } from './openapi-writer.ts'

const DESCRIPTION =
  'The HTTP surface of the control plane. Agent routes answer under `/v1` and `/api/v1` alike. Every answer carries `Svc-Request-Id`, which names the request in the log of the service. Bodies are JSON with any Content-Type, except that `/login` reads a form when it says so; unknown keys are ignored; optional fields are left out, never null. Examples are of real runs: their lists end after two entries, and secrets are shortened.'

const ROOT = { url: '/', description: 'The address of the service.' }
/** The places of an agent route: its path stands under both. */
const SERVERS = [ROOT, { url: '/api', description: 'An alias: the same route under `/api`.' }]

/**
 * The OpenAPI 3.1 document of a set of routes: the served routes in machine-readable form. Shapes and replies
 * that have a name stand in its components, once. `examples`: of requests and answers, where there are any.
 */
export function openApiDocument(routes: readonly Route[] = ROUTES, examples: Examples = {}): Part {
  const components = new Components()
  const writer = new OpenApiWriter(components, examples)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const { path, agent, calls = [] } = route
    const method = route.method.toLowerCase()
    paths[path] = { ...paths[path], ...(agent && { servers: SERVERS }), [method]: writer.operation(route) }
    for (const call of calls)
      paths[path.replace(/\{[^}]+\}$/, call.name)] = { [method]: writer.call(route, call) }
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'svc',
      version: RELEASE,
      description: DESCRIPTION,
      contact: { name: 'svc' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [ROOT],
    tags: writer.tags,
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Error: errorBody, ...components.schemas },
      responses: writer.replies,
    },
  }
}
