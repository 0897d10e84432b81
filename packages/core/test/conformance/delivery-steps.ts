import fc from 'fast-check'
import { ALERT_CHANNELS, DELIVERY_STATES } from '../../src/alerts/delivery/alert-deliveries-store.ts'
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
      return async ({ alertDeliveries }, now) => [
        (await alertDeliveries.waiting()).map(canonical).sort(),
        await alertDeliveries.bundle(id, audience, now),
        await alertDeliveries.latest(audience.tenantId),
      ]
    },
)

const token = fc.constantFrom('tick-1', 'tick-2')

const take = steps(
  'take deliveries',
  fc.record({ token, leaseSeconds: fc.constantFrom(60, 1), limit: fc.constantFrom(1, 5) }),
  (request) =>
    () =>
    ({ alertDeliveries }, now) =>
      alertDeliveries.takeDue(request, now),
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
      return ({ alertDeliveries }, now) => alertDeliveries.settle({ ...given, id }, now)
    },
)

/** Steps that notify audiences of alerts. */
export const deliverySteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: setWebhook },
  { weight: 1, arbitrary: removeWebhook },
  { weight: 3, arbitrary: bundle },
  { weight: 3, arbitrary: take },
  { weight: 3, arbitrary: settle },
]
