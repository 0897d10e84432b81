import { describe, expect, it } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { OPERATIONS } from '@svc/core'
import { flag, namedShape, oneOf, shape } from '@svc/core/adapters'
import { namedWords } from '../../../core/src/kernel/validation.ts'
import { pathsOf, type Replies, type Route } from '../../src/exchange/route.ts'
import { CONTROL_ROUTES, openApiDocument, ROUTES } from '../../src/index.ts'

const absent: Described = { operationId: '', security: [], responses: {} }

interface Described {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly description?: string
  readonly security: readonly object[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly headers: object; readonly content?: object }>
}
/** The paths of the document, with their servers and their methods. */
const items = () =>
  Object.entries(openApiDocument().paths as Record<string, object>).map(([path, item]) => {
    const { servers = [{ url: '/' }], ...methods } = item as { servers?: { readonly url: string }[] }
    return { path, servers, methods: methods as Record<string, Described> }
  })
const made = ROUTES.find(({ path }) => path === '/v1/jobs/claim') as Route
const described = (routes = ROUTES) =>
  (openApiDocument(routes) as { paths: Record<string, Record<string, Described>> }).paths

describe('the OpenAPI document', () => {
  it.each([
    ['the public surface', ROUTES],
    ['the control socket', CONTROL_ROUTES],
  ])('of %s is valid for a public validator', async (_, routes) => {
    const document = JSON.parse(JSON.stringify(openApiDocument(routes))) as Record<string, unknown>
    const validator = new Validator()
    expect(await validator.validate(document)).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('has every route with every path it is served at, every operation under a path of its own, and no other', () => {
    const listed = items().flatMap(({ path, servers, methods }) =>
      Object.keys(methods).flatMap((method) =>
        servers.map(({ url }) => `${method.toUpperCase()} ${url.replace(/\/$/, '')}${path}`),
      ),
    )
    const served = ROUTES.flatMap((route) => pathsOf(route).map((path) => `${route.method} ${path}`))
    const operations = OPERATIONS.map(({ name }) => `POST /api/v1/operations/${name}`)
    expect(listed.sort()).toEqual([...served, ...operations].sort())
  })

  it('names each operation in the words of the operations, under a noun with a sentence', () => {
    const { tags } = openApiDocument() as {
      tags: readonly { readonly name: string; readonly description: string }[]
    }
    const sentences = new Map(tags.map(({ name, description }) => [name, description]))
    const told = items().flatMap(({ methods }) => Object.values(methods))
    for (const { operationId, tags: [noun = ''] = [], description } of told) {
      expect(operationId).toMatch(/^[a-z-]+(?:\.[a-z-]+){1,3}$/)
      expect(operationId.startsWith(`${noun}.`)).toBe(true)
      expect([noun, sentences.get(noun)]).toEqual([noun, expect.stringMatching(/^[A-Z].*\.$/)])
      expect([operationId, description]).toEqual([operationId, expect.stringContaining('eeds ')])
    }
    expect([...sentences.keys()].sort()).toEqual([...new Set(told.flatMap(({ tags: of = [] }) => of))].sort())
    const nameAt = (path: string, method: string) => described()[path]?.[method]?.operationId
    expect(nameAt('/v1/jobs/claim', 'post')).toBe('jobs.claim')
    expect(nameAt('/api/v1/operations/jobs.enqueue', 'post')).toBe('jobs.enqueue')
    expect(nameAt('/v1/fleet/servers', 'get')).toBe('fleet.servers.licensed')
    expect(() => openApiDocument([{ ...made, name: 'beasts.feed' }])).toThrow('beasts.feed')
    const { name: _, ...nameless } = made
    expect(() => openApiDocument([nameless])).toThrow('has no name')
  })

  it('has a shape once, wherever it stands', () => {
    const { paths, components } = openApiDocument() as {
      paths: object
      components: { schemas: Record<string, object> }
    }
    const text = JSON.stringify(paths)
    for (const name of ['Alert', 'App', 'Host', 'Job', 'License', 'Release', 'ServerOrder', 'User']) {
      expect([name, Object.keys(components.schemas[name] ?? {})]).not.toEqual([name, []])
      expect([name, text.includes(JSON.stringify(components.schemas[name]))]).toEqual([name, false])
    }
  })

  it('types every answer: no object of it is of unknown fields but those that are so by nature', () => {
    const bare: string[] = []
    const look = (part: unknown, place: string): void => {
      if (typeof part !== 'object' || part === null) return
      const { type, properties, additionalProperties } = part as Record<string, unknown>
      if (type === 'object' && properties === undefined && additionalProperties === true) bare.push(place)
      for (const [name, inner] of Object.entries(part)) look(inner, `${place}/${name}`)
    }
    const { components } = openApiDocument() as { components: { schemas: object } }
    look(components.schemas, '')
    for (const { path, methods } of items())
      for (const { responses } of Object.values(methods)) {
        for (const status of Object.keys(responses).filter((each) => each === '201' || each === '202'))
          expect([path, responses[status]?.content]).not.toEqual([path, undefined])
        look(responses, path)
      }
    expect(bare).toEqual([
      // The input of any operation; the settings of a firewall job; the facts of an event; any operation.
      '/AuditEntry/properties/input',
      '/FirewallWork/properties/payload/properties/settings',
      '/WebhookMessage/properties/data',
      '/api/v1/operations/{name}/200/content/application/json/schema',
    ])
  })

  it('leads every reference to a part of itself, and leaves no part that nothing leads to', () => {
    const text = JSON.stringify(openApiDocument())
    const led = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/[\w-]+)"/g)].map(([, to]) => to))
    const { components } = JSON.parse(text) as { components: Record<string, object> }
    const { securitySchemes: _, ...kinds } = components
    const parts = Object.entries(kinds).flatMap(([kind, of]) =>
      Object.keys(of).map((name) => `${kind}/${name}`),
    )
    expect(parts.sort()).toEqual([...led].sort())
  })

  it('refuses two shapes, or two replies, of one name', () => {
    const [a, b] = [namedShape('Twin', { a: flag() }), namedShape('Twin', { b: flag() })]
    const of = (replies: Replies) => openApiDocument([{ ...made, replies }])
    expect(() => of({ 200: { description: 'A.', body: a }, 201: { description: 'B.', body: b } })).toThrow(
      'Twin',
    )
    expect(() =>
      of({ 400: { name: 'One', description: 'A.' }, 404: { name: 'One', description: 'B.' } }),
    ).toThrow('One')
  })

  it('has words with a name once, wherever one of them is chosen, and refuses two lists of one name', () => {
    const { components, paths } = openApiDocument() as {
      components: { schemas: Readonly<Record<string, { enum?: readonly string[] }>> }
      paths: object
    }
    const states = JSON.stringify(components.schemas.JobState?.enum)
    expect(states).toBe('["pending","claimed","running","succeeded","failed"]')
    expect(JSON.stringify({ components, paths }).split(states)).toHaveLength(2)
    const lists = [['a', 'b'], ['c']] as const
    for (const words of lists) namedWords('Twins', words)
    const [one, other] = [shape({ word: oneOf(lists[0]) }), shape({ word: oneOf(lists[1]) })]
    const of = (replies: Replies) => () => openApiDocument([{ ...made, replies }])
    expect(of({ 200: { description: 'A.', body: one }, 201: { description: 'B.', body: one } })).not.toThrow()
    expect(of({ 200: { description: 'A.', body: one }, 201: { description: 'B.', body: other } })).toThrow(
      'Twins',
    )
  })

  it('has an answer that several operations give once', () => {
    for (const name of ['apps.deploy', 'apps.stop', 'apps.scale']) {
      const { responses } = described()[`/api/v1/operations/${name}`]?.post ?? absent
      const schema = { $ref: '#/components/schemas/AppJob' }
      expect([name, responses['200']]).toMatchObject([name, { content: { 'application/json': { schema } } }])
    }
  })

  it('tells the type of a query parameter that is more than a text', () => {
    const { paths } = openApiDocument() as {
      paths: Readonly<Record<string, { get?: { parameters?: readonly { name: string; schema: object }[] } }>>
    }
    const typeOf = (path: string, wanted: string) =>
      paths[path]?.get?.parameters?.find(({ name }) => name === wanted)?.schema
    expect(typeOf('/api/v1/webhooks/endpoints', 'limit')).toMatchObject({ type: 'integer', minimum: 1 })
    expect(typeOf('/api/v1/fleet/alerts', 'kind')).toEqual({ $ref: '#/components/schemas/AlertKind' })
    expect(typeOf('/api/v1/access/pending', 'wait')).toEqual({ type: 'integer', minimum: 0, maximum: 25 })
    expect(typeOf('/api/deploy/{id}/logs', 'limit')).toEqual({ type: 'integer', minimum: 1, maximum: 10_000 })
    expect(typeOf('/api/v1/access/pending', 'fingerprint')).toEqual({ type: 'string' })
    const untold = ROUTES.flatMap(({ path, query = {}, queryShapes = {} }) =>
      Object.keys(queryShapes).flatMap((name) => (name in query ? [] : [`${path} ${name}`])),
    )
    expect(untold).toEqual([])
  })

  it('gives each operation a name of its own', () => {
    const names = items().flatMap(({ methods }) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(names).size).toBe(names.length)
  })

  it('says which fields a heartbeat must and may have', () => {
    const { schema } =
      described()['/v1/telemetry/heartbeat']?.post?.requestBody?.content['application/json'] ?? {}
    expect(schema).toMatchObject({
      required: ['fingerprint'],
      properties: {
        fingerprint: { type: 'string', minLength: 1, maxLength: 512 },
        backup_health: { type: 'object', properties: { success: { type: 'boolean' } } },
        jobs: { type: 'array', maxItems: 64, items: { required: ['id', 'attempt'] } },
      },
    })
  })

  it('says what a claim can answer, and with which headers', () => {
    const { security, responses } = described()['/v1/jobs/claim']?.post ?? absent
    const { components } = openApiDocument() as { components: { responses: Described['responses'] } }
    expect(security).toEqual([{ licenseKey: [] }])
    expect(Object.keys(responses)).toEqual(['200', '204', '400', '401', '413', '429', '431', '500', '503'])
    expect(responses['204']).not.toHaveProperty('content')
    expect(responses['200']?.headers).toHaveProperty('Svc-Cancel')
    expect(responses['429']).toEqual({ $ref: '#/components/responses/RateLimited' })
    expect(components.responses.RateLimited?.headers).toHaveProperty('Retry-After')
  })
})
