import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import type { Answer, Sent } from '../../../../test/support/exchange.ts'
import { ROUTES } from '../../src/routes/index.ts'
import { memoryGlass, type OpenGlass, postgresGlass } from './contents.ts'
import { nobodys } from './nobody.ts'
import type { Party } from './party.ts'
import { stagedWorld, type World } from './world.ts'

/** The names in a request that can refer to things of a tenant. */
type Named = Pick<
  Party,
  | 'held'
  | 'pending'
  | 'ended'
  | 'deployment'
  | 'alert'
  | 'dedupKey'
  | 'hostname'
  | 'fingerprint'
  | 'conversation'
  | 'visitor'
  | 'things'
>

type Case = readonly [title: string, ask: (named: Named, world: World) => Sent]

const post = (path: string, key: string, body: object): Sent => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${key}` },
  body: JSON.stringify(body),
})
const get = (path: string, key: string): Sent => ({ path, headers: { authorization: `Bearer ${key}` } })

const jobCases: readonly Case[] = (['held', 'pending', 'ended'] as const).flatMap((which): Case[] => [
  [
    `the status of a job (${which})`,
    (named, { own }) =>
      post(`/v1/jobs/${named[which]}/status`, own.key, { fingerprint: named.fingerprint, state: 'failed' }),
  ],
  [
    `the log of a job (${which})`,
    (named, { own }) => post(`/v1/jobs/${named[which]}/logs`, own.key, { lines: [{ ts: 1, line: 'mine' }] }),
  ],
  [
    `the log of a job (${which}) under its host's fingerprint`,
    (named, { own }) =>
      post(`/v1/jobs/${named[which]}/logs`, own.key, {
        fingerprint: named.fingerprint,
        attempt: 1,
        offset: 0,
        lines: [],
      }),
  ],
  [
    `the end of a job (${which})`,
    (named, { own }) => post(`/api/v1/jobs/${named[which]}/cancel`, own.key, {}),
  ],
])

const CASES: readonly Case[] = [
  ...jobCases,
  [
    'the backups of a host',
    (named, { own }) => get(`/v1/fleet/backups?host=${encodeURIComponent(named.hostname)}`, own.key),
  ],
  [
    'the alerts of a host by name',
    (named, { own }) => get(`/api/v1/fleet/alerts?host=${encodeURIComponent(named.hostname)}`, own.key),
  ],
  [
    'the alerts of a host by fingerprint',
    (named, { own }) => get(`/api/v1/fleet/alerts?host=${encodeURIComponent(named.fingerprint)}`, own.key),
  ],
  [
    'a page of alerts after one',
    (named, { own }) => get(`/api/v1/fleet/alerts?cursor=r.${named.alert}`, own.key),
  ],
  [
    'an alert by id',
    (named, { own }) => post('/api/v1/fleet/alerts', own.key, { id: named.alert, action: 'resolve' }),
  ],
  [
    'alerts by ids, one of them our own',
    (named, { own }) =>
      post('/api/v1/fleet/alerts', own.key, { ids: [own.alert, named.alert], action: 'resolve' }),
  ],
  [
    'a check of a sending domain',
    (named, { own }) => post(`/api/v1/email/domains/${named.things.domain}/verify`, own.key, {}),
  ],
  [
    'the health of a sending domain',
    (named, { own }) => get(`/api/v1/email/domains/${named.things.domain}/health`, own.key),
  ],
  ['a sending key', (named, { own }) => get(`/api/v1/email/keys/${named.things.emailKey}`, own.key)],
  [
    'a sending key for a domain',
    (named, { own }) => post('/api/v1/email/keys', own.key, { name: 'app', domain_id: named.things.domain }),
  ],
  [
    'a page of sending domains after one',
    (named, { own }) => get(`/api/v1/email/domains?cursor=${named.things.domain}`, own.key),
  ],
  [
    'an alert by its key',
    (named, { own }) =>
      post('/api/v1/fleet/alerts', own.key, { dedup_key: named.dedupKey, action: 'resolve' }),
  ],
  ...(['owner', 'developer'] as const).map(
    (who): Case => [
      `a deployment, for our ${who}`,
      (named, { cookies }) => ({
        path: `/api/deploy/${named.deployment}/logs`,
        headers: { cookie: cookies[who] },
      }),
    ],
  ),
  [
    'the replies in a conversation, as another visitor',
    (named, { own }) => ({
      path: `/api/chat?conversationId=${named.conversation}&sessionId=${own.visitor}`,
    }),
  ],
  [
    'the replies in a conversation, without a session',
    (named) => ({ path: `/api/chat?conversationId=${named.conversation}` }),
  ],
]

/**
 * Requests that also change something of the caller's own, so that only the neighbour's things are compared.
 */
const OWN_EFFECT: readonly Case[] = [
  [
    'a heartbeat that lists a job as its own',
    (named, { own }) =>
      post('/v1/telemetry/heartbeat', own.key, {
        fingerprint: own.fingerprint,
        hostname: own.hostname,
        jobs: [{ id: named.held, attempt: 1 }],
      }),
  ],
  [
    'a message into a conversation',
    (named, { own }) => ({
      method: 'POST',
      path: '/api/chat',
      body: JSON.stringify({ conversationId: named.conversation, sessionId: own.visitor, message: 'hello' }),
    }),
  ],
]

/**
 * An answer without the parts that differ between any two answers: the date, the request id, and newly made
 * ids.
 */
function comparable({ status, headers, text }: Answer): unknown {
  const { date: _date, 'svc-request-id': _id, ...rest } = headers
  const made = /(?:chat|msg)_[0-9a-z]{26}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g
  return { status, headers: rest, text: text.replaceAll(made, '<made for this answer>') }
}

describe.each<readonly [string, OpenGlass]>([
  ['memory', memoryGlass],
  [`PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, postgresGlass],
])('what is another tenant’s is as if it were not there, byte for byte: %s', (_storage, open) => {
  let world: World
  let sent = 0
  beforeAll(async () => {
    world = await stagedWorld(open)
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  const send = ({ headers, ...rest }: Sent) => {
    sent += 1
    const common = { 'x-forwarded-for': `192.0.2.${sent}`, 'content-type': 'application/json' }
    return world.send({ ...rest, headers: { ...common, ...headers } })
  }

  it.each(CASES)('%s', async (_title, ask) => {
    const before = await world.contents('licenseCalls')
    const others = await send(ask(world.other, world))
    const missing = await send(ask(nobodys(world), world))
    expect(comparable(others)).toEqual(comparable(missing))
    expect(await world.contents('licenseCalls')).toBe(before)
  })

  it.each(OWN_EFFECT)('%s', async (_title, ask) => {
    const before = await stateOf(world, world.other)
    const others = await send(ask(world.other, world))
    const missing = await send(ask(nobodys(world), world))
    expect(comparable(others)).toEqual(comparable(missing))
    expect(await stateOf(world, world.other)).toEqual(before)
  })

  it('and what is one’s own is there, or the cases above would show nothing', async () => {
    const same: string[] = []
    for (const [title, ask] of CASES) {
      const own = await send(ask(world.own, world))
      const missing = await send(ask(nobodys(world), world))
      if (JSON.stringify(comparable(own)) === JSON.stringify(comparable(missing))) same.push(title)
    }
    expect(same).toEqual(LIKE_NOTHING)
  })
})

/**
 * Cases where the owner gets the same answer as for a missing thing: an unclaimed job takes no status and no
 * log, and no alert follows the only one.
 */
const LIKE_NOTHING = [
  'the status of a job (pending)',
  'the log of a job (pending)',
  "the log of a job (pending) under its host's fingerprint",
  'a page of alerts after one',
  'the replies in a conversation, without a session',
]

/** The platform's view of the neighbour's things. */
async function stateOf({ plane }: World, party: Party): Promise<unknown> {
  const { conversation, messages } = await plane.chat.show(party.conversation, 100)
  return { job: await plane.jobs.get(PLATFORM, party.held), conversation, messages }
}

it('every route with a parameter is among the cases', () => {
  const parameters = ROUTES.filter(({ path }) => path.includes('{id}')).map(({ path }) => path)
  expect(parameters.sort()).toEqual([
    '/api/deploy/{id}/logs',
    '/api/v1/email/domains/{id}/health',
    '/api/v1/email/domains/{id}/verify',
    '/api/v1/email/keys/{id}',
    '/api/v1/email/keys/{id}',
    '/api/v1/jobs/{id}/cancel',
    '/v1/jobs/{id}/logs',
    '/v1/jobs/{id}/status',
  ])
})
