import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { OPERATION_ENTRIES } from '../../../../test/support/features.ts'
import { trueAnswer } from '../../../../test/support/true-answers.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { openApiDocument } from '../../src/index.ts'
import { memoryGlass } from '../authorization/contents.ts'
import { SECRETS } from '../authorization/secrets.ts'
import { stagedWorld, type World } from '../authorization/world.ts'
import * as faults from './schema-faults.ts'

type Schema = faults.Schema

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
const faultsOf = (schema: Schema, value: unknown) => faults.faultsOf(schemas, schema, value)
const callOf = (name: string) => paths[`/api/v1/operations/${name}`]?.post
const JSON_TYPE = 'application/json'
const inputOf = (name: string) => callOf(name)?.requestBody.content[JSON_TYPE]?.schema
const answerOf = (name: string) => callOf(name)?.responses['200']?.content?.[JSON_TYPE]?.schema

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
    expect(faults.referred(schemas, answer ?? {}).properties).toBeDefined()
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
