import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { OPERATION_ENTRIES } from '../../../../test/support/features.ts'
import { trueAnswer } from '../../../../test/support/true-answers.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { openApiDocument } from '../../src/index.ts'
import { memoryGlass } from '../authorization/contents.ts'
import { SECRETS } from '../authorization/secrets.ts'
import { stagedWorld, type World } from '../authorization/world.ts'

interface Schema {
  readonly type?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly $ref?: string
  readonly discriminator?: {
    readonly propertyName: string
    readonly mapping: Readonly<Record<string, string>>
  }
  readonly additionalProperties?: Schema | boolean
}

interface Call {
  readonly operationId: string
  readonly description: string
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

const { paths, components } = openApiDocument() as {
  paths: Readonly<Record<string, { readonly post?: Call }>>
  components: { readonly schemas: Readonly<Record<string, Schema>> }
}
const { schemas } = components
const REFERENCE = '#/components/schemas/'
const callOf = (name: string) => paths[`/api/v1/operations/${name}`]?.post
const JSON_TYPE = 'application/json'
const inputOf = (name: string) => callOf(name)?.requestBody.content[JSON_TYPE]?.schema
const answerOf = (name: string) => callOf(name)?.responses['200']?.content?.[JSON_TYPE]?.schema

/** Payloads of jobs and their sources keep fields that they do not name. */
const isOpen = (place: string): boolean => /\.payload(?:\.source)?$/.test(place)

const referred = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.slice(REFERENCE.length)] ?? schema)

/** Returns the schema that a value is held to: with the fields of the one of a choice that its word names. */
function wholeOf(given: Schema, value: unknown): Schema {
  const { discriminator, ...own } = referred(given)
  if (discriminator === undefined) return own
  const word = String(Object(value)[discriminator.propertyName])
  const chosen = referred({ $ref: discriminator.mapping[word] ?? 'no schema for the word' })
  return {
    ...chosen,
    ...own,
    required: [...(own.required ?? []), ...(chosen.required ?? [])],
    properties: { ...own.properties, ...chosen.properties },
  }
}

/** Returns where a value is not as its schema says: fields that it does not name are faults, too. */
function faultsOf(given: Schema, value: unknown, place = '$'): readonly string[] {
  const schema = wholeOf(given, value)
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null) return [`${place} is no object`]
    const fields = value as Readonly<Record<string, unknown>>
    const { required = [], properties, additionalProperties } = schema
    const missing = required.filter((name) => !(name in fields))
    const inner = Object.entries(properties ?? {}).filter(([name]) => name in fields)
    const isClosed = properties !== undefined && additionalProperties === undefined && !isOpen(place)
    const unnamed = Object.keys(fields).filter((name) => isClosed && !(name in properties))
    return [
      ...missing.map((name) => `${place}.${name} is missing`),
      ...unnamed.map((name) => `${place}.${name} is not named`),
      ...inner.flatMap(([name, field]) => faultsOf(field, fields[name], `${place}.${name}`)),
    ]
  }
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [`${place} is no list`]
    return value.flatMap((item, index) => faultsOf(schema.items ?? {}, item, `${place}[${index}]`))
  }
  return isFitting(schema, value) ? [] : [`${place} is ${JSON.stringify(value)}`]
}

function isFitting({ type, enum: words, ...bounds }: Schema, value: unknown): boolean {
  if (words !== undefined) return words.includes(value)
  if (type === 'integer' || type === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = bounds
    return typeof value === 'number' && value >= minimum && value <= maximum
  }
  if (type !== 'string') return type === undefined || typeof value === type
  const { minLength = 0, maxLength = Infinity } = bounds
  return typeof value === 'string' && value.length >= minLength && value.length <= maxLength
}

describe('the operations in the OpenAPI document', () => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  it.each(Object.entries(OPERATION_ENTRIES))('%s: takes and answers what it says', async (name, entry) => {
    const given = entry.input(world)
    const [input, answer] = [inputOf(name), answerOf(name)]
    expect(input).toBeDefined()
    expect(faultsOf(input ?? {}, given)).toEqual([])
    expect(Object.keys(given).filter((field) => input?.properties?.[field] === undefined)).toEqual([])
    const confirmation = { current: SECRETS.password }
    const { status, text, body } = await world.send({
      method: 'POST',
      path: `/api/v1/operations/${name}`,
      headers: { cookie: world.cookies.admin },
      body: JSON.stringify(entry.confirmed ? { ...given, confirmation } : given),
    })
    expect([status, text]).toEqual([200, text])
    expect(answer?.properties).toBeDefined()
    expect(faultsOf(answer ?? {}, body)).toEqual([])
  })

  it('say who may run them, and take a confirmation where one is asked for', () => {
    for (const { name, permission, scope, confirmed, personal } of OPERATIONS) {
      const description = callOf(name)?.description ?? ''
      expect([name, description]).toEqual([name, expect.stringContaining(`\`${permission}\``)])
      expect([name, description.includes("a tenant's people")]).toEqual([name, scope === 'tenant'])
      expect([name, description.includes('API tokens may not')]).toEqual([
        name,
        Boolean(confirmed ?? personal),
      ])
      expect([name, 'confirmation' in (inputOf(name)?.properties ?? {})]).toEqual([name, confirmed === true])
    }
  })

  it('an answer that lacks a field, has one more or one of another type would be seen', () => {
    const schema = answerOf('tenants.list') ?? {}
    const good = { id: 'ten_1', name: 'acme', created_at: 1 }
    expect(faultsOf(schema, { tenants: [good] })).toEqual([])
    expect(faultsOf(schema, { tenants: [{ ...good, created_at: '1' }] })).toEqual([
      '$.tenants[0].created_at is "1"',
    ])
    expect(faultsOf(schema, { tenants: [{ id: 'ten_1', created_at: 1 }] })).toEqual([
      '$.tenants[0].name is missing',
    ])
    expect(faultsOf(schema, { tenants: [{ ...good, secret: 's' }] })).toEqual([
      '$.tenants[0].secret is not named',
    ])
    const job = answerOf('jobs.show')?.properties?.job ?? {}
    const work = (kind: string, payload: object) =>
      faultsOf(job, { kind, payload }).filter(
        (fault) => !fault.endsWith('is missing') || /payload/.test(fault),
      )
    expect(work('stop', { app: 'shop', further: 1 })).toEqual([])
    expect(work('stop', {})).toEqual(['$.payload.app is missing'])
    expect(work('deploy', { app: 'shop', source: { type: 'git', repo_url: 7 } })).toEqual([
      '$.payload.source.sha is missing',
      '$.payload.source.repo_url is 7',
    ])
    expect(work('sing', {})).not.toEqual([])
    expect(() => trueAnswer('tenants.list', { tenants: [{ ...good, secret: 's' }] })).toThrow('secret')
    expect(() => trueAnswer('tenants.list', { tenants: [{ ...good, name: 1 }] })).toThrow('name')
  })
})
