import fc from 'fast-check'
import { ALERT_CHANNELS, targetOf } from '../../src/alerts/delivery/alert-deliveries-store.ts'
import { DELIVERY_STATES } from '../../src/deliveries/delivery.ts'
import { canonical, order, pick, rarely, type Step, steps, words } from './world.ts'

const tenantId = fc.constantFrom('', 'ten_a', 'ten_b')

const setWebhook = steps(
  'set webhook',
  fc.record({
    tenantId,
    url: fc.constantFrom('https://hooks.example/a', 'https://hooks.example/b'),
    secret: fc.constantFrom('whsec_1', 'whsec_2'),
    rotate: fc.boolean(),
  }),
  (given) =>
    () =>
    async ({ alertDeliveries }, now) => [
      await alertDeliveries.setWebhook(given, now),
      await alertDeliveries.webhook(given.tenantId),
      await alertDeliveries.webhooks(),
    ],
)

const removeWebhook = steps(
  'remove webhook',
  tenantId,
  (given) =>
    () =>
    ({ alertDeliveries }) =>
      alertDeliveries.removeWebhook(given),
)

/** Bundles the alerts of an audience that waits, or of one that may not. */
const bundle = steps(
  'bundle',
  fc.record({
    order,
    pick,
    other: rarely(fc.record({ channel: fc.constantFrom(...ALERT_CHANNELS), tenantId })),
  }),
  ({ order: place, pick: which, other }) =>
    async (world) => {
      const waiting = await world.fake.alertDeliveries.waiting()
      const audience = other ?? waiting[which % Math.max(1, waiting.length)]
      if (audience === undefined) return undefined
      const id = world.id('dlv', place)
      return async ({ alertDeliveries, deliveries }, now) => {
        const waits = (await alertDeliveries.waiting()).map(canonical).sort()
        const isMade = await alertDeliveries.bundle(id, audience)
        if (isMade) await deliveries.add({ id, ...targetOf(audience) }, now)
        const digest = await alertDeliveries.digest({ id, ...audience })
        return [waits, isMade, digest, await deliveries.latest(targetOf(audience))]
      }
    },
)

const token = fc.constantFrom('tick-1', 'tick-2')

const take = steps(
  'take deliveries',
  fc.record({
    kinds: fc.constantFrom(['log', 'webhook'], ['webhook'], ['letter'], []),
    token,
    leaseSeconds: fc.constantFrom(60, 1),
    limit: fc.constantFrom(1, 5),
  }),
  (request) =>
    () =>
    ({ deliveries }, now) =>
      deliveries.takeDue(request, now),
)

const settle = steps(
  'settle delivery',
  fc.record({
    pick,
    token,
    state: fc.constantFrom(...DELIVERY_STATES),
    delaySeconds: fc.constantFrom(0, 1.5, 60),
    status: rarely(fc.constantFrom(200, 503)),
    error: rarely(words),
  }),
  ({ pick: which, ...given }) =>
    async (world) => {
      const alerts = await world.fake.alerts.list({ scope: {}, limit: 50 }, world.clock.now())
      const reports = []
      for (const { id } of alerts) reports.push(...(await world.fake.alertDeliveries.reports(id)))
      const id = reports[which % (reports.length + 1)]?.id ?? 'dlv_absent'
      return async ({ alertDeliveries, deliveries }, now) => {
        const isHeld = await deliveries.settle({ ...given, id }, now)
        if (given.state === 'sent') await alertDeliveries.announced(id, now)
        return isHeld
      }
    },
)

/** Adds a delivery that no alert is in. */
const add = steps(
  'add delivery',
  fc.record({ order, kind: fc.constantFrom('letter', 'webhook'), recipient: words }),
  ({ order: place, ...target }) =>
    (world) => {
      const id = world.id('dlv', place)
      return async ({ deliveries }, now) => [
        await deliveries.add({ id, ...target }, now),
        await deliveries.latest(target),
      ]
    },
)

const purge = steps(
  'purge deliveries',
  fc.record({ kinds: fc.constantFrom(['log', 'webhook'], ['letter']), days: fc.constantFrom(0, 1, 90) }),
  ({ kinds, days }) =>
    () =>
    ({ deliveries }, now) =>
      deliveries.purge(kinds, days, now),
)

/** Steps that notify audiences of alerts. */
export const deliverySteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: setWebhook },
  { weight: 1, arbitrary: removeWebhook },
  { weight: 3, arbitrary: bundle },
  { weight: 3, arbitrary: take },
  { weight: 3, arbitrary: settle },
  { weight: 1, arbitrary: add },
  { weight: 1, arbitrary: purge },
]
