import { EVENT_TYPES, PLATFORM } from '@svc/core'
import fc from 'fast-check'
import {
  licenseId,
  order,
  pick,
  rarely,
  type Step,
  scope,
  steps,
} from '../../packages/core/test/conformance/world.ts'
import type { World } from '../../packages/http/test/authorization/world.ts'
import { OWNER, read, wrong } from '../support/feature-entries.ts'
import type { Feature, OperationEntry } from '../support/features.ts'

const NONE = 'whe_00000000000000000000000000'
const own = ({ own: { things } }: World) => ({ endpoint: things.endpoint })
const none = () => ({ endpoint: NONE })

const change = (input: OperationEntry['input'], refused = none): OperationEntry => ({
  asks: 'platform.admin',
  scope: 'platform',
  leaves: 'row',
  input,
  refused: ['not-found', refused as OperationEntry['input']],
})

const url = 'https://hooks.example/new'

const IDS = ['whe_a', 'whe_b', 'whe_c']
const id = fc.constantFrom(...IDS, 'whe_absent')
const address = fc.constantFrom('https://a.example/', 'https://b.example/')
const events = fc.constantFrom(['*'], ['job.*'], ['alert.opened', 'license.*'], ['host.*', 'monitor.drift'])
const STATES = ['failed', 'expired', 'skipped', 'cancelled']

const add = steps(
  'add endpoint',
  fc.record({ id: fc.constantFrom(...IDS), licenseId, url: address, events, most: fc.constantFrom(1, 3) }),
  ({ most, ...given }) =>
    () =>
    async ({ webhooks }, now) => {
      if ((await webhooks.get(PLATFORM, given.id)) !== undefined) return 'there'
      await webhooks.begin(given.licenseId)
      const tenantId = given.licenseId === 'lic_a' ? 'ten_a' : undefined
      const rest = { description: 'x', secret: 'v1:one', maxAgeSeconds: 3600, tenantId }
      return webhooks.add({ ...given, ...rest }, most, now)
    },
)

const alter = steps(
  'change endpoint',
  fc.record({
    id,
    scope,
    url: rarely(address),
    events: rarely(events),
    description: rarely(fc.constant('y')),
  }),
  ({ id: named, scope: whose, ...fields }) =>
    () =>
    async ({ webhooks }, now) => [
      await webhooks.change(named, fields, now),
      await webhooks.get(whose, named),
      await webhooks.list(whose, { limit: 2 }),
      await webhooks.dead(),
    ],
)

const act = steps(
  'act on endpoint',
  fc.record({
    id,
    what: fc.constantFrom('gone', 'manual', 'enable', 'close', 'remove', 'note', 'rotate', 'age'),
  }),
  ({ id: named, what }) =>
    () =>
    async ({ webhooks }, now) => {
      if (what === 'enable') return webhooks.enable(named)
      if (what === 'close') return webhooks.closeBreaker(named)
      if (what === 'remove') return webhooks.remove(named, now)
      if (what === 'note') return webhooks.note(named, 'secret_unavailable')
      if (what === 'age') return webhooks.setMaxAge(7200)
      if (what !== 'rotate') return webhooks.disable(named, what, now)
      const rotation = { id: named, from: 'v1:one', secret: 'v1:two', oldSecret: 'v1:old', graceSeconds: 60 }
      return webhooks.rotate(rotation, now)
    },
)

const replay = steps(
  'replay messages',
  fc.record({
    id,
    order,
    limit: fc.constantFrom(1, 9),
    dry: fc.boolean(),
    ago: fc.constantFrom(60, 9e6),
    pick,
  }),
  ({ id: named, order: place, limit, dry, ago, pick: which }) =>
    async (world) => {
      const salt = world.id('rpl', place)
      const filter = { endpointId: named, states: undefined, after: undefined, limit: 50 }
      const listed = await world.fake.webhooks.deliveries(filter, world.clock.now())
      const one = listed[which % (listed.length + 1)]?.id
      return async ({ webhooks }, now) => {
        const since = new Date(now.getTime() - ago * 1000)
        const chosen = which % 2 === 0 && one !== undefined ? { deliveryId: one } : { since }
        const write = { endpointId: named, salt, states: STATES, limit, ...chosen }
        return dry ? webhooks.replayable(write, now) : webhooks.replay(write, now)
      }
    },
)

const say = steps(
  'say to endpoint',
  fc.record({ id, order, fact: fc.constantFrom('one', 'two') }),
  ({ id: named, order: place, fact }) =>
    (world) => {
      const messageId = world.id('msg', place)
      return async ({ webhooks }, now) => {
        const found = await webhooks.get(PLATFORM, named)
        if (found === undefined) return undefined
        const { endpoint } = found
        await webhooks.say(
          { id: messageId, licenseId: endpoint.licenseId, type: 'webhook.ping', body: '{}' },
          now,
        )
        await webhooks.tellOthers({ endpoint, type: 'webhook.endpoint_disabled', fact, data: { a: 1 } }, now)
        return webhooks.outgoing({ recipient: named, payload: messageId })
      }
    },
)

const sweep = steps(
  'sweep endpoints',
  fc.record({
    seconds: fc.constantFrom(0, 600),
    apart: fc.constantFrom(0, 60),
    // A fact is told once: its message must not be forgotten while the sequence may tell it again.
    days: fc.constant(30),
  }),
  ({ seconds, apart, days }) =>
    () =>
    async ({ webhooks }, now) => [
      [...(await webhooks.disableFailing(seconds, apart, now))].sort(),
      await webhooks.purge(days, 1000, now),
    ],
)

const take = steps(
  'take messages',
  fc.record({ token: fc.constantFrom('run-1', 'run-2'), limit: fc.constantFrom(1, 5) }),
  ({ token, limit }) =>
    () =>
    ({ deliveries }, now) =>
      deliveries.takeDue(
        { kind: 'endpoint', token, leaseSeconds: 60, limit, perRecipient: 2, maxAttempts: 3 },
        now,
      ),
)

const settle = steps(
  'settle message',
  fc.record({ id, token: fc.constantFrom('run-1', 'run-2'), pick, delivered: fc.boolean() }),
  ({ id: named, token, pick: which, delivered }) =>
    async (world) => {
      const filter = { endpointId: named, states: ['due'], after: undefined, limit: 50 }
      const listed = await world.fake.webhooks.deliveries(filter, world.clock.now())
      const one = listed[which % (listed.length + 1)]?.id ?? 'dlv_absent'
      const policy = { failures: 2, cooldownSeconds: 30, cooldownMaxSeconds: 60 }
      const result = { status: delivered ? 200 : 500, error: delivered ? undefined : 'http_500' }
      const attempt = { durationMs: 12, response: 'ok' }
      const verdict = { delivered, policy, spread: 1 }
      const state = delivered ? ('sent' as const) : ('failed' as const)
      return async ({ deliveries, webhooks }, now) => [
        await deliveries.settle({ id: one, token, state, delaySeconds: 0, ...result, attempt, verdict }, now),
        plain(await webhooks.delivery(named, one, now)),
      ]
    },
)

// The database spells JSON with blanks, and knows no instant for events of licenses but its own.
const plain = (found: { readonly body: string } | undefined) =>
  found && { ...found, body: JSON.parse(found.body) as unknown }

export const webhookSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: add },
  { weight: 1, arbitrary: alter },
  { weight: 2, arbitrary: act },
  { weight: 1, arbitrary: replay },
  { weight: 1, arbitrary: say },
  { weight: 1, arbitrary: sweep },
  { weight: 2, arbitrary: take },
  { weight: 2, arbitrary: settle },
]

/** Access to webhooks of licenses. */
export const feature: Feature = {
  operations: {
    'webhooks.list': read('platform.read', ({ own: party }) => ({ license: party.licenseId }), [
      'not-found',
      wrong.license,
    ]),
    'webhooks.show': read('platform.read', own, ['not-found', none]),
    'webhooks.add': change(({ own: party }) => ({ license: party.licenseId, url }), (() => ({
      ...wrong.license(),
      url,
    })) as never),
    'webhooks.update': change((world) => ({ ...own(world), description: 'another' }), (() => ({
      ...none(),
      enabled: false,
    })) as never),
    'webhooks.rotate': change(own),
    'webhooks.test': change(own),
    'webhooks.replay': change((world) => ({ ...own(world), since: 0 }), (() => ({
      ...none(),
      since: 0,
    })) as never),
    'webhooks.reset-breaker': change(own),
    'webhooks.run': change(({ own: { things } }) => ({ endpoint_id: things.endpoint }), (() => ({
      endpoint_id: NONE,
    })) as never),
    'webhooks.remove': change(({ other: { things } }) => ({ endpoint: things.endpoint })),
  },
  requests: {
    'POST /api/v1/webhooks/endpoints': {
      asks: OWNER,
      body: () => ({ url: `https://hooks.example/${Math.random()}` }),
      good: 201,
    },
    'GET /api/v1/webhooks/endpoints': { asks: 'a license', good: 200 },
    'GET /api/v1/webhooks/endpoints/{endpoint}': {
      asks: 'a license',
      path: ({ own: { things } }) => ({ id: things.endpoint ?? '' }),
      good: 200,
      foreign: 404,
    },
    'POST /api/v1/webhooks/endpoints/{endpoint}': {
      asks: OWNER,
      path: ({ own: { things } }) => ({ id: things.endpoint ?? '' }),
      body: () => ({ description: 'another' }),
      good: 200,
      foreign: 404,
    },
    'DELETE /api/v1/webhooks/endpoints/{endpoint}': {
      asks: OWNER,
      path: () => ({ id: NONE }),
      good: 404,
    },
    'POST /api/v1/webhooks/run': { asks: 'a license or the cron secret', good: 200 },
  },
  stage: async ({ operations }, license) => {
    const input = { license, url: 'https://hooks.example/staged', enabled: false }
    const { endpoint } = await operations.run('webhooks.add', input, 'stage')
    return { endpoint: (endpoint as { readonly id: string }).id }
  },
  commands: {
    'webhooks endpoints list': () => [],
    'webhooks endpoints show': ({ things }) => [things.endpoint ?? ''],
    'webhooks endpoints add': ({ bench }) => ['https://hooks.example/more', '--license', bench.license.id],
    'webhooks endpoints update': ({ things }) => [things.endpoint ?? '', '--event', 'job.*'],
    'webhooks endpoints enable': ({ things }) => [things.endpoint ?? ''],
    'webhooks endpoints disable': ({ things }) => [things.endpoint ?? ''],
    'webhooks rotate': ({ things }) => [things.endpoint ?? '', '--grace', '24h'],
    'webhooks test': ({ things }) => [things.endpoint ?? ''],
    'webhooks deliveries': ({ things }) => [things.endpoint ?? '', '--state', 'pending'],
    'webhooks replay': ({ things }) => [things.endpoint ?? '', '--since', '2026-01-01'],
    'webhooks reset-breaker': ({ things }) => [things.endpoint ?? ''],
    'webhooks run': ({ things }) => ['--endpoint', things.endpoint ?? ''],
    'webhooks stats': () => [],
    'webhooks endpoints remove': ({ things }) => [things.endpoint ?? ''],
  },
  steps: webhookSteps,
  contents: async ({ webhooks }, now) => {
    const endpoints = await webhooks.list(PLATFORM, { limit: 100 })
    const told = []
    for (const { endpoint } of endpoints) {
      const filter = { endpointId: endpoint.id, states: undefined, after: undefined, limit: 1000 }
      const found = await webhooks.deliveries(filter, now)
      told.push(found.filter(({ type }) => !type.startsWith('license.')))
    }
    return { endpoints, told, types: EVENT_TYPES.length }
  },
}
