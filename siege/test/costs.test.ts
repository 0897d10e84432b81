// Limits of the time that one request may take on the event loop, while all other requests wait: every route,
// with every value that is costly to read for its length. Counts processor time of the thread, scaled by the
// speed of the machine.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { jsonSchema } from '../../packages/http/src/exchange/body/shape.ts'
import type { Route } from '../../packages/http/src/exchange/route.ts'
import { ROUTES } from '../../packages/http/src/routes/index.ts'
import type { Sent } from '../../test/support/exchange.ts'
import { type Mounted, mounted } from '../../test/support/mounted.ts'
import { bulkPace, pace } from '../../test/support/pace.ts'
import { sample } from '../../test/support/sample.ts'
import { paymentProvider } from '../../test/support/scripted-billing.ts'
import { verifiedDomain } from '../../test/support/sending-domain.ts'
import { unlimited } from '../../test/support/unlimited.ts'
import { COSTLY_COOKIES, COSTLY_HEADERS, COSTLY_QUERIES, COSTLY_VALUES } from '../src/costly.ts'
import { hugeBodies } from '../src/huge-lines.ts'
import { OPEN_SETTINGS } from '../src/open-settings.ts'
import { fieldsOf, spell } from '../src/schema-fields.ts'

/** All routes take a minute, so a run tries a part of them. */
const PARTS = 4
/** Client and service share the thread, so the times include sending. */
const SMALL = { ms: 60, paceNow: pace }
const HUGE = { ms: 300, paceNow: bulkPace }
const TRIES = 5
const US_PER_MS = 1000
const HEADER_NAMES = ['authorization', 'x-forwarded-for', 'origin', 'content-encoding', 'idempotency-key']

let served: Mounted
let cookie: string
beforeAll(async () => {
  const parts = { rateCounter: unlimited, paymentProvider }
  served = await mounted(undefined, { parts, env: OPEN_SETTINGS })
  const { plane } = served
  await verifiedDomain(plane, '', 'svc.example')
  const email = 'ada@example.com'
  const user = await plane.users.add({ email, role: 'super_admin', tenantId: undefined, password: undefined })
  cookie = (await plane.sessions.mint(user)).cookie
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
})

const methodAndPath = ({ method, path }: Route) => ({ method, path: path.replace(/\{[^}]+\}/, 'x') })

/**
 * Returns the milliseconds that the thread worked for one request. Code is compiled in the first try, so one
 * that takes longer than `enoughMs` is tried again: the least of some tries counts.
 */
async function cost(sent: Sent, enoughMs: number): Promise<number> {
  const credentials = { authorization: `Bearer ${served.key}`, cookie, 'content-type': 'application/json' }
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < TRIES && least > enoughMs; attempt += 1) {
    const before = process.threadCpuUsage()
    const { status } = await served.send({ ...sent, headers: { ...credentials, ...sent.headers } })
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / US_PER_MS)
    expect(status).toBeLessThan(500)
  }
  return least
}

/** Returns the requests that took too long, with their times. */
async function tooLong(requests: readonly Sent[], most: typeof SMALL): Promise<string[]> {
  const found: string[] = []
  for (const sent of requests) {
    const ms = await cost(sent, most.ms)
    const shown = `${sent.method} ${sent.path?.slice(0, 60)} ${JSON.stringify(sent.headers)?.slice(0, 60)} ${String(sent.body).slice(0, 60)}`
    if (ms > most.ms && ms > most.ms * most.paceNow()) found.push(`${ms.toFixed(0)} ms: ${shown}`)
  }
  return found
}

const bodiesOf = (route: Route): readonly string[] => {
  if (route.body?.shape === undefined || route.path === '/login') return []
  const schema = jsonSchema(route.body.shape)
  const places = [[], ...fieldsOf(schema).map(({ names }) => names)]
  return places.flatMap((names) => COSTLY_VALUES.map((value) => spell(schema, names, value)))
}

const tried = sample(ROUTES, PARTS).map((route) => [`${route.method} ${route.path}`, route] as const)

describe.each(tried)('%s', (_, route) => {
  const target = methodAndPath(route)

  it('reads any head in milliseconds', async () => {
    const queries = COSTLY_QUERIES.map((query) => ({ ...target, path: `${target.path}?${query}` }))
    const cookies = COSTLY_COOKIES.map((text) => ({ ...target, headers: { cookie: text } }))
    const others = COSTLY_HEADERS.flatMap((text) =>
      HEADER_NAMES.map((name) => ({ ...target, headers: { [name]: text } })),
    )
    expect(await tooLong([...queries, ...cookies, ...others], SMALL)).toEqual([])
  }, 60_000)

  if (route.body !== undefined) {
    it('reads any body of 64 KB in milliseconds', async () => {
      expect(
        await tooLong(
          bodiesOf(route).map((body) => ({ ...target, body })),
          SMALL,
        ),
      ).toEqual([])
    }, 120_000)
  }
})

it('the log of a job takes megabytes in fractions of a second', async () => {
  const { licenseId, plane } = served
  const payload = { app: 'shop', source: { type: 'image', image: 'shop:1' } }
  await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload })
  const { job } = await plane.jobs.claim({ licenseId, fingerprint: 'f', claimKey: undefined })
  const target = { method: 'POST', path: `/v1/jobs/${job?.id}/logs` }
  expect(
    await tooLong(
      hugeBodies().map((body) => ({ ...target, body })),
      HUGE,
    ),
  ).toEqual([])
}, 120_000)
