// The examples of the shipped API document. That they are of real runs is held by `npm run generate --
// --check`, which makes them anew.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { shown } from '../../../../scripts/generate/shown-examples.ts'
import { type Example, openApiDocument, ROUTES, type Route } from '../../src/index.ts'
import { faultsOf, type Schema, type Schemas } from './schema-faults.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const TEXT = readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')
const MOST_BYTES = 900_000

interface Media {
  readonly schema: Schema
  readonly examples?: { readonly run: { readonly value: unknown } }
}
type Content = Readonly<Record<string, Media>>
interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Path = Readonly<Record<string, Operation>> & { readonly servers?: unknown }

const { paths, components } = JSON.parse(TEXT) as {
  readonly paths: Readonly<Record<string, Path>>
  readonly components: { readonly schemas: Schemas }
}

/** The operations with the media of their requests and answers. */
const ALL = Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
  Object.values(methods).map((operation) => ({
    name: operation.operationId,
    isOfAgents: servers !== undefined,
    isCall: path.startsWith('/api/v1/operations/'),
    asked: Object.values(operation.requestBody?.content ?? {}),
    answered: Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
  })),
)
const MEDIA = ALL.flatMap(({ name, asked, answered }) =>
  [...asked, ...answered].flatMap((media) =>
    media.examples === undefined ? [] : [{ name, media, value: media.examples.run.value }],
  ),
)

/** Routes without an example: they answer no JSON, or the good requests of the access tests are refused. */
const WITHOUT = [
  'webhooks.remove.licensed',
  'health.metrics',
  'account.end-sessions',
  'account.begin-second-factor',
  'account.confirm-second-factor',
  'account.remove-second-factor',
  'emails.send.licensed',
  'billing.receive',
  'chat.say',
  'chat.preflight',
  'operations.run',
]

/** Returns every text of a value, and every name of a field. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)])
}
const TEXTS = MEDIA.flatMap(({ value }) => textsIn(value))

describe('the examples of the API document', () => {
  it('are of every operation, of every agent route, and of all other routes but a few', () => {
    const answered = ALL.filter((each) => each.answered.some(({ examples }) => examples !== undefined))
    const names = new Set(answered.map(({ name }) => name))
    expect(OPERATIONS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([])
    expect(ALL.filter((each) => each.isOfAgents && !names.has(each.name))).toEqual([])
    expect(ALL.map(({ name }) => name).filter((name) => !names.has(name))).toEqual(WITHOUT)
    const asked = new Set(
      ALL.flatMap((each) => (each.asked.some(({ examples }) => examples) ? [each.name] : [])),
    )
    expect(OPERATIONS.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([])
  })

  it.each(MEDIA.map(({ name, media, value }) => [name, media.schema, value] as const))(
    'fit their schema: %s',
    (_, schema, value) => {
      expect(faultsOf(components.schemas, schema, value)).toEqual([])
    },
  )

  it('one that lacks a field, has one more or one of another type would be seen', () => {
    const claimed = ALL.find(({ name }) => name === 'jobs.claim')?.answered[0]
    const { job } = Object(claimed?.examples?.run.value) as { readonly job: object }
    const faults = (example: unknown) => faultsOf(components.schemas, claimed?.schema ?? {}, example)
    expect(faults({ job })).toEqual([])
    expect(faults({ job: { ...job, more: 1 } })).toEqual(['$.job.more is not named'])
    expect(faults({ job: { ...job, attempt: 'one' } })).toEqual(['$.job.attempt is "one"'])
    expect(faults({})).toEqual(['$.job is missing'])
  })

  it('hold no secret, no path of a machine and no domain of somebody', () => {
    const secret =
      /\b(?:svc[a-z]{0,2}_(?!session=)|whsec_|svct_v1\.|svc_session=v1\.)[\w+/=-]{6,}|\beyJ[\w-]{6,}|MII\w{6,}|\bplanted\b|v1=[0-9a-f]{8,}/
    expect(TEXTS.filter((text) => secret.test(text))).toEqual([])
    expect(TEXTS.filter((text) => /\/(?:home|root|tmp|usr|srv|work|dev\/shm)\/|[A-Z]:\\/.test(text))).toEqual(
      [],
    )
    const domains = TEXTS.flatMap((text) => text.match(/\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b/g) ?? [])
    const foreign = domains.filter(
      (name) =>
        /\.(?:com|net|org|io|dev|app|sh|de|eu)$/.test(name) && !/\bexample\.(?:com|net|org)$/.test(name),
    )
    expect([...new Set(foreign)]).toEqual([])
    // The check sees what it looks for.
    for (const text of [`svcat_${'A'.repeat(43)}`, 'whsec_0123456789', 'eyJhbGciOiJ9.e30.c2ln'])
      expect(secret.test(text)).toBe(true)
  })

  it('stand on a line each, and leave the document within its size', () => {
    const lines = TEXT.split('\n').filter((line) => line.includes('"examples": '))
    expect(lines).toHaveLength(MEDIA.length)
    expect(Buffer.byteLength(TEXT)).toBeLessThan(MOST_BYTES)
  })
})

describe('an example before it stands in the document', () => {
  const told = (answer: unknown) => shown({ status: 200, answer }).answer

  it('loses the secrets of its run, wherever they stand', () => {
    const long = 'A1-_'.repeat(11).slice(0, 43)
    for (const prefix of ['svc_', 'svcat_', 'svcb_', 'svce_'])
      expect(told({ at: [{ key: `${prefix}${long}` }] })).toEqual({ at: [{ key: `${prefix}…` }] })
    expect(told(`whsec_${long.replaceAll(/[-_]/g, '+')}=`)).toBe('whsec_…')
    expect(told(`eyJ${long}.${long}.${long}`)).toBe('eyJ…')
    expect(told(`svc_session=v1.${long}.${long}`)).toBe('svc_session=v1.…')
    expect(told(`v=DKIM1; k=rsa; p=MII${'A'.repeat(80)}`)).toBe('v=DKIM1; k=rsa; p=MII…')
    expect(told({ password: 'planted password of the world' })).toEqual({ password: 'a password of yours' })
    expect(told('svc_session is a cookie')).toBe('svc_session is a cookie')
  })

  it('has two entries of each list that was answered, and every entry that was sent', () => {
    const list = [{ of: [1, 2, 3] }, { of: [4] }, { of: [] }]
    const { request, answer } = shown({ status: 200, request: { list }, answer: { list } })
    expect(answer).toEqual({ list: [{ of: [1, 2] }, { of: [4] }] })
    expect(request).toEqual({ list })
  })

  it('has no time that differs in the next run, and the names of the pages', () => {
    const fields = {
      latency_ms: 17,
      duration_ms: 3,
      next_poll: 5,
      org: 'own',
      engine: 'other',
      host: 'own-host',
    }
    expect(told(fields)).toEqual({ ...fields, latency_ms: 4, duration_ms: 4, org: 'acme', host: 'acme-host' })
    expect(told(['disk_high:other-0123456789', 'owner'])).toEqual(['disk_high:globex-0123456789', 'owner'])
  })

  it('stands under the status that it has, and nowhere else', () => {
    const claim = ROUTES.find(({ path }) => path === '/v1/jobs/claim') as Route
    const examplesIn = (example: Example) => {
      const { paths: found } = openApiDocument([claim], { 'POST /v1/jobs/claim': example }) as {
        readonly paths: Readonly<Record<string, Path>>
      }
      const { requestBody, responses } = found['/v1/jobs/claim']?.post ?? { responses: {} }
      const of = (content: Content = {}) => content['application/json']?.examples?.run.value
      const answers = Object.entries(responses).map(([status, { content }]) => [status, of(content)] as const)
      return [
        of(requestBody?.content),
        Object.fromEntries(answers.filter(([, answer]) => answer !== undefined)),
      ]
    }
    expect(examplesIn({ status: 200, request: { a: 1 }, answer: { b: 2 } })).toEqual([
      { a: 1 },
      { 200: { b: 2 } },
    ])
    expect(examplesIn({ status: 204, request: { a: 1 } })).toEqual([{ a: 1 }, {}])
    expect(examplesIn({ status: 429, answer: { error: 'slow down' } })).toEqual([undefined, {}])
  })
})
