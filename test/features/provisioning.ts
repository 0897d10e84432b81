import { type NewOrder, ORDER_STATES } from '@svc/core/ports'
import { buildCatalogEntry, buildOrder } from '@svc/testing'
import fc from 'fast-check'
import { licenseId, rarely, type Step, steps } from '../../packages/core/test/conformance/world.ts'
import type { World } from '../../packages/http/test/authorization/world.ts'
import { nothing, read } from '../support/feature-entries.ts'
import type { Feature, OperationEntry } from '../support/features.ts'
import { ORPHAN, PROVIDER_TOKEN, stageProvisioning } from '../support/provisioning-world.ts'

const change = (
  input: OperationEntry['input'],
  refused: NonNullable<OperationEntry['refused']>,
  more: Pick<OperationEntry, 'confirmed'> = {},
): OperationEntry => ({ asks: 'platform.admin', scope: 'platform', leaves: 'row', input, refused, ...more })

const CONFIRMED = { confirmed: true } as const
const NONE = 'pord_00000000000000000000000000'
const order = ({ own: { things } }: World) => ({ order: things.pord })
const none = (): object => ({ order: NONE })
const ENTRY = {
  ...{ plan: 'small', provider: 'hetzner', server_type: 'cx22', locations: ['fsn1'], image: 'debian-12' },
  ...{ ssh_keys: ['ops'], max_monthly: '6.00 EUR' },
}

const IDS = ['pord_a', 'pord_b', 'pord_c']
const id = fc.constantFrom(...IDS, 'pord_absent')
const state = fc.constantFrom(...ORDER_STATES)
const provider = fc.constantFrom('hetzner' as const, 'digitalocean' as const)
const token = fc.constantFrom('prv_a', 'prv_b')
const money = fc.constantFrom(1, 300, 1000)

const add = steps(
  'add order',
  fc.record({ id: fc.constantFrom(...IDS), licenseId, provider }),
  (given: Partial<NewOrder>) =>
    () =>
    async ({ provisioning }, now) => {
      if ((await provisioning.get(given.id ?? '')) !== undefined) return 'there'
      return provisioning.add(buildOrder(given), now)
    },
)

const take = steps(
  'take order',
  fc.record({
    id,
    token,
    limit: fc.constantFrom(1, 9),
    one: rarely(id),
    leaseSeconds: fc.constantFrom(1, 120),
  }),
  ({ limit, one, ...claim }) =>
    () =>
    async ({ provisioning }, now) => {
      const due = await provisioning.due(limit, one, now)
      const found = await provisioning.get(claim.id)
      return [due, await provisioning.take({ ...claim, state: found?.state ?? 'requested' }, now)]
    },
)

const changes = fc.record(
  {
    actionId: fc.constantFrom('1', null),
    ipv4: fc.constant('192.0.2.1'),
    location: fc.constantFrom('nbg1', 'hel1'),
    monthlyMinor: money,
    currency: fc.constantFrom('EUR', 'USD'),
    createSentAt: fc.constant(null),
    creates: fc.constant('one-less' as const),
    licenseKey: fc.constant(null),
    errorCode: fc.constantFrom('credential_invalid', 'x', null),
    errorDetail: fc.constantFrom('why "so" \\ ü', null),
  },
  { requiredKeys: [] },
)

const move = steps(
  'move order',
  fc.record({
    ...{ id, token: rarely(token), from: rarely(state), to: state, change: changes },
    delaySeconds: rarely(fc.constantFrom(0, 5, 3600)),
    releases: fc.boolean(),
    outcome: fc.constantFrom('advanced' as const, 'held' as const),
    httpStatus: rarely(fc.constant(409)),
    detail: rarely(fc.constant('a "detail"')),
  }),
  ({ from, ...given }) =>
    () =>
    async ({ provisioning }, now) => {
      const found = await provisioning.get(given.id)
      const moved = { ...given, from: from ?? found?.state ?? 'requested', step: 'validate' }
      return [await provisioning.move(moved, now), await provisioning.events(given.id, 3)]
    },
)

const reserve = steps(
  'reserve money',
  fc.record({ orderId: id, token, amountMinor: money, currency: fc.constantFrom('EUR', 'EUR', 'USD') }),
  (given) =>
    () =>
    async ({ provisioning }, now) => {
      await provisioning.planeId('cp-a')
      await provisioning.take(
        { id: given.orderId, state: 'reserving', token: given.token, leaseSeconds: 1 },
        now,
      )
      const outcome = await provisioning.reserve({ ...given, ceilingMinor: 1000 }, now)
      return [outcome, await provisioning.reserved(), await provisioning.reservedOrders()]
    },
)

const note = steps(
  'note a request for a server',
  fc.record({ id, token, mostCreates: fc.constantFrom(1, 3), mostPerHour: fc.constantFrom(1, 9) }),
  (given) =>
    () =>
    async ({ provisioning }, now) => {
      await provisioning.planeId('cp-a')
      await provisioning.take({ id: given.id, state: 'creating', token: given.token, leaseSeconds: 1 }, now)
      return provisioning.noteCreate({ ...given, userDataSha256: 'digest', leaseSeconds: 120 }, now)
    },
)

const credential = steps(
  'change credential',
  fc.record({
    provider,
    fingerprint: fc.constantFrom('one', 'two'),
    tokenEnc: rarely(fc.constant('v1:token')),
    what: fc.constantFrom('set', 'set', 'verified', 'invalidated', 'limited', 'clear'),
    seconds: fc.constantFrom(1, 600),
  }),
  ({ what, seconds, ...given }) =>
    (world) => {
      const until = new Date(+world.clock.now() + seconds * 1000)
      return async ({ provisioning }, now) => {
        if (what === 'set') await provisioning.setCredential(given, now)
        if (what === 'clear') return provisioning.clearCredential(given.provider)
        if (what === 'verified') return provisioning.verified(given.provider, given.fingerprint, now)
        if (what === 'invalidated')
          await provisioning.invalidated(given.provider, given.fingerprint, 'why', now)
        if (what === 'limited') await provisioning.limited(given.provider, until, now)
        return provisioning.credentials()
      }
    },
)

const catalog = steps(
  'change catalogue',
  fc.record({
    plan: fc.constantFrom('small', 'large'),
    provider,
    enabled: fc.boolean(),
    removes: fc.boolean(),
  }),
  ({ removes, ...given }) =>
    () =>
    async ({ provisioning }) => {
      if (removes) return provisioning.removeCatalog(given.plan, given.provider)
      await provisioning.setCatalog(buildCatalogEntry(given))
      return provisioning.catalog()
    },
)

const reads = steps(
  'read orders',
  fc.record({ id, licenseId: rarely(licenseId), limit: fc.constantFrom(1, 100), hurries: fc.boolean() }),
  (given) =>
    () =>
    async ({ provisioning }, now) => [
      await provisioning.list({ licenseId: given.licenseId, limit: given.limit }),
      await provisioning.live(),
      await provisioning.counts(),
      await provisioning.older({ id: given.id, licenseId: given.licenseId ?? 'lic_a' }),
      given.hurries && (await provisioning.hurry(given.id, now)),
    ],
)

/** Access to orders for servers, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    'provision.check': read('platform.security', nothing),
    'provision.budget': read('platform.security', nothing),
    'provision.reconcile': read('platform.security', nothing, [
      'conflict',
      () => ({ provider: 'digitalocean' }),
    ]),
    'provision-catalog.list': read('platform.security', nothing),
    'provision-catalog.set': change(() => ENTRY, ['invalid-input', () => ({ ...ENTRY, max_monthly: '1e9' })]),
    'provision-credentials.show': read('platform.security', nothing),
    'provision-credentials.set': change(
      () => ({ provider: 'hetzner', secret: PROVIDER_TOKEN }),
      ['invalid-input', () => ({ provider: 'hetzner', secret: 'with a blank' })],
      CONFIRMED,
    ),
    'provision-credentials.verify': change(
      () => ({ provider: 'hetzner' }),
      ['unavailable', () => ({ provider: 'digitalocean' })],
    ),
    'provision-template.render': read('platform.security', nothing),
    'provision-orders.create': change(
      ({ own }) => ({ plan: 'small', license_key: own.key }),
      ['not-found', ({ own }) => ({ plan: 'none', license_key: own.key })],
    ),
    'provision-orders.list': read('platform.security', nothing, [
      'not-found',
      () => ({ license: 'lic_none' }),
    ]),
    'provision-orders.show': read('platform.security', order, ['not-found', none]),
    'provision-orders.retry': change(
      ({ own: { things } }) => ({ order: things.sparePord }),
      ['not-found', none],
    ),
    'provision.step': change(() => ({ limit: 1 }), ['not-found', none]),
    'provision-orders.cancel': change(order, ['not-found', none]),
    'provision-orders.destroy': change(
      ({ own: { things } }) => ({ order: things.gonePord }),
      ['not-found', none],
      CONFIRMED,
    ),
    'provision.remove-server': change(
      () => ({ server: ORPHAN }),
      ['not-found', () => ({ server: '1' })],
      CONFIRMED,
    ),
    'provision-catalog.remove': change(
      () => ({ plan: 'spare', provider: 'hetzner' }),
      ['not-found', () => ({ plan: 'none', provider: 'hetzner' })],
    ),
    'provision-credentials.clear': change(
      () => ({ provider: 'digitalocean' }),
      ['not-found', () => ({ provider: 'digitalocean' })],
      CONFIRMED,
    ),
  },
  requests: {
    'POST /api/v1/provisioning/worker': { asks: 'the worker secret', body: nothing, good: 200 },
  },
  stage: stageProvisioning,
  commands: {
    'provision check': () => [],
    'provision budget': () => [],
    'provision reconcile': () => [],
    'provision catalog list': () => [],
    'provision catalog set': () => [
      ...['large', '--server-type', 'cx22', '--location', 'fsn1', '--image', 'debian-12'],
      ...['--ssh-key', 'ops', '--max-monthly', '9.00 EUR'],
    ],
    'provision credential show': () => [],
    'provision credential set': () => ['--provider', 'digitalocean'],
    'provision credential verify': () => [],
    'provision template check': () => [],
    'provision template render': () => [],
    'provision order create': () => ['--plan', 'small'],
    'provision order list': () => [],
    'provision order show': ({ things }) => [things.pord ?? ''],
    'provision order retry': ({ things }) => [things.pord ?? ''],
    'provision step': () => [],
    'provision order cancel': ({ things }) => [things.pord ?? ''],
    'provision order destroy': ({ things }) => [things.gonePord ?? '', '--yes'],
    'provision catalog remove': () => ['large'],
    'provision credential clear': () => ['--provider', 'digitalocean'],
  },
  steps: [
    { weight: 2, arbitrary: add },
    { weight: 3, arbitrary: take },
    { weight: 4, arbitrary: move },
    { weight: 2, arbitrary: reserve },
    { weight: 2, arbitrary: note },
    { weight: 2, arbitrary: credential },
    { weight: 1, arbitrary: catalog },
    { weight: 1, arbitrary: reads },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ provisioning }) => ({
    orders: await provisioning.list({ limit: 1000 }),
    reserved: await provisioning.reservedOrders(),
    credentials: await provisioning.credentials(),
    catalog: await provisioning.catalog(),
  }),
}
