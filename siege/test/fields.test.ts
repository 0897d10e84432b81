// Every field of every request body, with values of every wrong type and at its limits. The tests follow the
// schema that the API document publishes, so a new route is tested without a change here.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { TEST_ENVIRONMENT } from '@svc/testing'
import { jsonSchema } from '../../packages/http/src/exchange/body/shape.ts'
import type { Route } from '../../packages/http/src/exchange/route.ts'
import { ROUTES } from '../../packages/http/src/routes/index.ts'
import { type Mounted, mounted } from '../../test/support/mounted.ts'
import { paymentProvider } from '../../test/support/scripted-billing.ts'
import { unlimited } from '../../test/support/unlimited.ts'
import { MARKER } from '../src/marker.ts'
import { OPEN_SETTINGS } from '../src/open-settings.ts'
import { fieldsOf, spell, typesOf } from '../src/schema-fields.ts'

type Schema = Readonly<Record<string, unknown>>

interface Case {
  readonly title: string
  readonly path: string
  readonly body: string
  readonly names: readonly string[]
  readonly route: string
}

const WRONG: Readonly<Record<string, readonly string[]>> = {
  string: ['null', '0', 'true', 'false', '[]', '{}', `["${MARKER}"]`],
  number: ['null', `"${MARKER}"`, '"1"', 'true', '[]', '{}', '1e999', '-1e999'],
  integer: ['null', `"${MARKER}"`, '"1"', 'true', '[]', '{}', '0.5', '1e999', '-1e999'],
  boolean: ['null', `"${MARKER}"`, '"true"', '0', '1', '[]', '{}'],
  array: ['null', `"${MARKER}"`, '{}', '0', 'true'],
  object: ['null', `"${MARKER}"`, '[]', '0', 'true'],
}

function wrongFor(schema: Schema): readonly string[] {
  const types = typesOf(schema)
  const wrong = types.flatMap((type) => WRONG[type] ?? []).filter((text) => !types.includes(text))
  return [...wrong, ...beyond(schema), ...(schema.enum === undefined ? [] : [`"${MARKER}"`, '""'])]
}

/** Routes with one field that decides the form of the others: their own suites try each kind. */
const DEPENDENT = [
  '/api/v1/email/send',
  '/api/v1/node/security',
  '/api/v1/transfer/keys',
  '/api/v1/webhooks/endpoints/{endpoint}',
]
const MANY = 100_000

/** Returns the first values outside of the limits. */
function beyond({ maxLength, minLength, minimum, maximum, maxItems }: Schema): readonly string[] {
  return [
    ...(typeof maxLength === 'number' ? [JSON.stringify('x'.repeat(maxLength + 1))] : []),
    ...(Number(minLength) > 0 ? ['""'] : []),
    ...(typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? [String(minimum - 1)] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [String(maximum + 1)] : []),
    ...(typeof maxItems === 'number' && maxItems < MANY ? [`[${'0,'.repeat(maxItems)}0]`] : []),
  ]
}

const SHOWN = 40
const pathOf = ({ path }: Route): string => path.replace(/\{[^}]+\}/, 'job_x')

const CASES: readonly Case[] = ROUTES.flatMap((route) => {
  if (route.body?.shape === undefined) return []
  const schema = jsonSchema(route.body.shape)
  return fieldsOf(schema).flatMap(({ names, schema: field }) =>
    wrongFor(field).map((text) => {
      const title = `${route.method} ${route.path} ${names.join('.')} = ${text.slice(0, SHOWN)}`
      return { title, path: pathOf(route), body: spell(schema, names, text), names, route: route.path }
    }),
  )
})

const BROWSER_TOKEN = 'a-browser-token-of-the-attack'

let served: Mounted
let cookie: string
beforeAll(async () => {
  const env = { ...OPEN_SETTINGS, BROWSER_WORKER_TOKENS: BROWSER_TOKEN }
  served = await mounted(undefined, { parts: { rateCounter: unlimited, paymentProvider }, env })
  const { plane } = served
  const email = 'ada@example.com'
  const user = await plane.users.add({ email, role: 'super_admin', tenantId: undefined, password: undefined })
  cookie = (await plane.sessions.mint(user)).cookie
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
})

describe(`${CASES.length} wrong values`, () => {
  it('are some four hundred and more', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(400)
  })

  it.each(CASES.map((each) => [each.title, each] as const))(
    '%s: 400 names the field and not the value',
    async (_, each) => {
      const isWorker = each.route === '/api/v1/provisioning/worker'
      const isBrowser = each.route.includes('/browser/')
      const token = isBrowser ? BROWSER_TOKEN : TEST_ENVIRONMENT.PROVISIONING_WORKER_SECRET
      const own = isWorker || isBrowser ? { authorization: `Bearer ${token}` } : {}
      const headers = { 'content-type': 'application/json', cookie, ...own }
      const answer = await served.post(each.path, each.body, headers)
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid request body' } })
      const { details } = answer.body as { details: string[] }
      const prefix = `${each.names.join('.')}`
      expect(details.length).toBeLessThanOrEqual(12)
      const isNamed = (detail: string) => detail.startsWith(prefix) && detail.includes(': expected ')
      const others = details.filter((detail) => !isNamed(detail))
      expect(DEPENDENT.includes(each.route) ? [] : others).toEqual([])
      expect(answer.text).not.toContain(MARKER)
    },
  )
})
