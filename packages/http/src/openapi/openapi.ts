import { RELEASE } from '@svc/core'
import { Components } from '../exchange/body/shape.ts'
import { pathsOf, type Route } from '../exchange/route.ts'
import { ROUTES } from '../routes/index.ts'
import { errorBody, REQUEST_ID, SECURITY_SCHEMES } from './openapi-parts.ts'
import { OpenApiWriter, type Part } from './openapi-writer.ts'

const DESCRIPTION =
  'The HTTP surface of the control plane. Agent routes answer under `/v1` and `/api/v1` alike. Bodies are JSON with any Content-Type, except that `/login` reads a form when it says so; unknown keys are ignored; optional fields are left out, never null.'

/**
 * The OpenAPI 3.1 document of a set of routes: the served routes in machine-readable form. Shapes and replies
 * that have a name stand in its components, once.
 */
export function openApiDocument(routes: readonly Route[] = ROUTES): Part {
  const components = new Components()
  const writer = new OpenApiWriter(components)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    for (const path of pathsOf(route)) {
      const methods = paths[path] ?? {}
      methods[route.method.toLowerCase()] = writer.operation(route, path)
      paths[path] = methods
      for (const call of route.calls ?? [])
        paths[path.replace(/\{[^}]+\}$/, call.name)] = {
          [route.method.toLowerCase()]: writer.call(route, call),
        }
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
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Error: errorBody, ...components.schemas },
      responses: writer.replies,
      headers: REQUEST_ID,
    },
  }
}
