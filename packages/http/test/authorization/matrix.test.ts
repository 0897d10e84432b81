import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Answer, Sent } from '../../../../test/support/exchange.ts'
import { OPERATION_ENTRIES, ROUTE_ENTRIES, type RouteEntry } from '../../../../test/support/features.ts'
import { sample, sampledOperations } from '../../../../test/support/sample.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { OPERATIONS } from '../../../core/src/wiring/features.ts'
import { pathsOf, type Route } from '../../src/exchange/route.ts'
import { CONTROL_ROUTES, ROUTES } from '../../src/routes/index.ts'
import { isOwn, operationVerdict, SCHEMES, type Verdict, verdictOf } from './asks.ts'
import { memoryGlass, type OpenGlass, postgresGlass } from './contents.ts'
import { CREDENTIALS, type Credential } from './credentials.ts'
import { misuses, secretsOf } from './planted.ts'
import { SECRETS } from './secrets.ts'
import { PEOPLE, type Person, refreshed, stagedWorld, type World } from './world.ts'

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`
const OPERATION_PATH = '/api/v1/operations/{name}'
/** A run tries one of so many parts of the operations on PostgreSQL. */
const PARTS = 4

describe('the tables of who may do what', () => {
  it('hold every route of the service, and no other', () => {
    expect(Object.keys(ROUTE_ENTRIES).sort()).toEqual(ROUTES.map(nameOf).sort())
  })

  it('agree with the credentials that each gate declares', () => {
    const declared = Object.fromEntries(ROUTES.map((route) => [nameOf(route), route.gate.security]))
    const expected = Object.entries(ROUTE_ENTRIES).map(([name, { asks }]) => [name, SCHEMES[asks]])
    expect(declared).toEqual(Object.fromEntries(expected))
  })

  it('hold every operation with its permission and scope, whether it leaves a row and takes a password, and no other', () => {
    const declared = OPERATIONS.map(({ name, permission, scope, changes, confirmed, personal }) => [
      name,
      [permission, scope, changes ? 'row' : 'nothing', confirmed, personal],
    ])
    const expected = Object.entries(OPERATION_ENTRIES).map(
      ([name, { asks, scope, leaves, confirmed, personal }]) => [
        name,
        [asks, scope, leaves, confirmed, personal],
      ],
    )
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(expected))
  })
})

/** One request of a row, without its credential. */
interface Target {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
}

/** A row of the matrix. */
interface Row {
  readonly title: string
  target(world: World): Target
  verdict(credential: Credential): Verdict
  /** The status past the gate; a list when it depends on the effects of earlier requests. */
  past(credential: Credential): readonly number[] | number | undefined
  /** Every request gets new sessions, because the request ends the session it is sent with. */
  readonly endsSession?: true | undefined
  /** A refusal leaves a row in the audit log. */
  readonly audited?: true
}

function targetOf(method: string, path: string, entry: RouteEntry): Row['target'] {
  return (world) => {
    const { id = '', query = '' } = entry.path?.(world) ?? {}
    return { method, path: path.replace(/\{[^}]+\}/, id) + query, body: entry.body?.(world) }
  }
}

function rowsOf(route: Route): Row[] {
  const entry = ROUTE_ENTRIES[nameOf(route)]
  if (entry === undefined) return []
  const methods = route.method === 'GET' && route.head !== false ? ['GET', 'HEAD'] : [route.method]
  return pathsOf(route).flatMap((path) =>
    methods.map((method) => ({
      title: `${method} ${path}`,
      target: targetOf(method, path, entry),
      verdict: (credential: Credential) => verdictOf(entry.asks, credential),
      past: (credential: Credential) =>
        entry.past ?? (isOwn(credential) ? entry.good : (entry.foreign ?? entry.good)),
      endsSession: entry.endsSession,
    })),
  )
}

const routeRows = ROUTES.filter(({ path }) => path !== OPERATION_PATH).flatMap(rowsOf)

// An earlier row of the matrix has changed the password.
const confirmation = { current: SECRETS.newPassword }

const titleOf = (name: string): string => `POST /api/v1/operations/${name}`
// Every operation is reached by one route: a part of them says whether the database does as the fake.
const SAMPLED = new Set([...sampledOperations(Object.keys(OPERATION_ENTRIES), PARTS)].map(titleOf))

const operationRows: readonly Row[] = Object.entries(OPERATION_ENTRIES).map(([name, entry]) => ({
  audited: true,
  title: titleOf(name),
  target: (world) => ({
    method: 'POST',
    path: OPERATION_PATH.replace('{name}', name),
    body: entry.confirmed ? { ...entry.input(world), confirmation } : entry.input(world),
  }),
  verdict: (credential) => operationVerdict(entry, credential),
  // The first run succeeds; for later ones the work may be done already.
  past: ({ proves }) => ('person' in proves && proves.person === 'admin' ? 200 : undefined),
}))

const controlRows: readonly Row[] = CONTROL_ROUTES.filter(
  (route) => !ROUTES.some((each) => nameOf(each) === nameOf(route)),
).map(({ method, path }) => ({
  title: `${method} ${path}, which is for the control socket alone`,
  target: () => ({
    method,
    path: path.replace('{name}', 'licenses.list'),
    body: method === 'POST' ? {} : undefined,
  }),
  verdict: () => 'in',
  past: () => 404,
}))

let sent = 0

async function ask(world: World, target: Target, credential: Credential): Promise<Answer> {
  sent += 1
  const { key } = credential
  const query = key === undefined ? '' : `${target.path.includes('?') ? '&' : '?'}key=${world.own.key}`
  const address = `2001:${(sent >> 16).toString(16)}:${(sent & 0xffff).toString(16)}::1`
  const common = { 'x-forwarded-for': address, 'content-type': 'application/json' }
  const headers: Sent['headers'] = { ...common, ...(await credential.headers(world)) }
  const body = target.body === undefined ? undefined : JSON.stringify(target.body)
  return world.send({ method: target.method, path: target.path + query, headers, body })
}

/** Sorts the credentials of people in the order of `PEOPLE`, so that `admin` runs everything first. */
const adminFirst = (one: Credential, other: Credential): number => rank(one) - rank(other)
const rank = ({ proves }: Credential): number =>
  'person' in proves ? Object.keys(PEOPLE).indexOf(proves.person as Person) : 0

const own = ({ proves }: Credential): readonly string[] =>
  'person' in proves ? [proves.person as string] : []

/** The people whose sessions have ended. */
async function endedSessions({ plane, cookies }: World): Promise<readonly string[]> {
  const people = Object.keys(PEOPLE) as Person[]
  const callers = await Promise.all(people.map((who) => plane.sessions.authenticate(cookies[who])))
  return people.filter((_, index) => callers[index] === undefined)
}

async function refusals(world: World, { target, verdict, audited }: Row): Promise<void> {
  const contents = () => world.contents(audited && 'audit')
  const before = await contents()
  for (const credential of CREDENTIALS) {
    const wanted = verdict(credential)
    if (wanted === 'in') continue
    const { status, text } = await ask(world, target(world), credential)
    const error = text === '' ? wanted[1] : JSON.parse(text).error
    expect([credential.name, status, error]).toEqual([credential.name, ...wanted])
  }
  expect(await contents()).toBe(before)
}

async function admissions(given: World, { target, verdict, past, endsSession }: Row): Promise<void> {
  for (const credential of CREDENTIALS.filter((each) => verdict(each) === 'in').toSorted(adminFirst)) {
    const world = endsSession ? await refreshed(given) : given
    const { status, text } = await ask(world, target(world), credential)
    if (endsSession)
      expect([credential.name, await endedSessions(world)]).toEqual([credential.name, own(credential)])
    const wanted = past(credential)
    const seen = [credential.name, status, text.slice(0, 300)]
    if (wanted === undefined) expect([401, 403, 500, 503]).not.toContain(seen[1])
    else if (typeof wanted === 'number') expect(seen).toEqual([credential.name, wanted, seen[2]])
    else expect(wanted).toContain(status)
  }
}

describe.each<readonly [string, OpenGlass]>([
  ['memory', memoryGlass],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, postgresGlass],
])('who may do what, asked with every credential: %s', (storage, open) => {
  let world: World
  beforeAll(async () => {
    world = await stagedWorld(open, { rateCounter: unlimited })
  }, 60_000)
  // It looks through all rows for secrets, and drops the database.
  afterAll(async () => world[Symbol.asyncDispose](), 60_000)

  const operations = operationRows.filter(({ title }) => storage === 'memory' || SAMPLED.has(title))
  const rows = [...routeRows, ...controlRows, ...operations]
  // Gates refuse before a store is asked: on the database a part of the rows is enough.
  const refused = new Set(storage === 'memory' ? rows : sample(rows, PARTS))
  it.each(rows.map((row) => [row.title, row] as const))(
    '%s',
    async (_title, row) => {
      if (refused.has(row)) await refusals(world, row)
      await admissions(world, row)
      if (row.endsSession) world = await refreshed(world)
    },
    60_000,
  )

  it('after all of it, and after secrets where none belongs, none is in a log, a row or a figure', async () => {
    const { licenseId } = world.own
    const waiting = await Promise.all(
      [1, 2].map(() => world.plane.jobs.enqueue({ licenseId, kind: 'stop', payload: { app: 'idle' } })),
    )
    const ids = waiting.map(({ job }) => job.id)
    for (const sent of misuses(world, ids)) {
      const { status } = await world.send({
        ...sent,
        headers: { ...sent.headers },
      })
      expect(status).toBeLessThan(500)
      // A 401 would mean that nothing read the request.
      if (sent.headers?.cookie !== undefined) expect([sent.path, status]).not.toEqual([sent.path, 401])
    }
    await world.plane.scheduler.tick()
    const places = {
      'the log': world.log.text(),
      'the rows': await world.contents(),
      'the figures': await world.plane.metrics.exposition(),
    }
    const found = Object.entries(places).flatMap(([place, text]) =>
      Object.entries(secretsOf(world))
        .filter(([, secret]) => text.includes(secret))
        .map(([name]) => `${name} in ${place}`),
    )
    expect(found).toEqual([])
  }, 60_000)
})
