import { PLATFORM } from '@svc/core'
import fc from 'fast-check'
import { ALERT_CHANNELS, targetOf } from '../../src/watch/alerts/channels/alert-deliveries-store.ts'
import { canonical, order, pick, rarely, type Step, scope, steps, words } from './world.ts'

const tenantId = fc.constantFrom('', 'ten_a', 'ten_b')

const setWebhook = steps(
  'set webhook',
  fc.record({
    tenantId,
    url: fc.constantFrom('https://hooks.example/a', 'https://hooks.example/b'),
    secret: fc.constantFrom('whsec_1', 'whsec_2'),
    scope,
    rotate: fc.boolean(),
  }),
  ({ scope: whose, ...given }) =>
    () =>
    async ({ alertDeliveries }, now) => [
      await alertDeliveries.setWebhook(given, now),
      await alertDeliveries.webhook(given.tenantId),
      await alertDeliveries.webhooks(whose),
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

const setMailboxes = steps(
  'set mailboxes',
  fc.record({
    tenantId,
    scope,
    addresses: fc.constantFrom(['a@example.com'], ['b@example.com', 'c@example.com']),
  }),
  ({ scope: whose, ...given }) =>
    () =>
    async ({ alertDeliveries }, now) => [
      await alertDeliveries.setMailboxes(given, now),
      await alertDeliveries.mailboxes(whose),
    ],
)

const removeMailboxes = steps(
  'remove mailboxes',
  tenantId,
  (given) =>
    () =>
    ({ alertDeliveries }) =>
      alertDeliveries.removeMailboxes(given),
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
    kind: fc.constantFrom('log', 'webhook', 'mail', 'letter'),
    token,
    leaseSeconds: fc.constantFrom(60, 1),
    limit: fc.constantFrom(1, 5),
    perRecipient: fc.constantFrom(1, 5),
    shares: rarely(fc.constantFrom({ ten_a: 0 }, { '': 1, a: 2 })),
    after: rarely(fc.constantFrom('', 'ten_a', 'app')),
    only: rarely(fc.constantFrom(['ten_a', 'a'], [])),
    maxAttempts: fc.constantFrom(2, 9),
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
    state: fc.constantFrom('due', 'sent', 'failed'),
    delaySeconds: fc.constantFrom(0, 1.5, 60),
    status: rarely(fc.constantFrom(200, 503)),
    error: rarely(words),
    isUncounted: rarely(fc.boolean()),
    verdict: rarely(
      fc.record({
        delivered: fc.boolean(),
        policy: fc.constantFrom(
          { failures: 1, cooldownSeconds: 60, cooldownMaxSeconds: 200 },
          { failures: 2, cooldownSeconds: 1, cooldownMaxSeconds: 4 },
        ),
        spread: fc.constantFrom(1, 0.5),
      }),
    ),
  }),
  ({ pick: which, ...given }) =>
    async (world) => {
      const alerts = await world.fake.alerts.list(PLATFORM, { limit: 50 }, world.clock.now())
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
  fc.record({
    order,
    kind: fc.constantFrom('letter', 'webhook'),
    recipient: words,
    payload: rarely(words),
    delaySeconds: rarely(fc.constantFrom(0, 30)),
    maxAttempts: rarely(fc.constantFrom(1, 2)),
    expiresSeconds: rarely(fc.constantFrom(30, 3600)),
    sequence: rarely(fc.constantFrom('one', 'two')),
    isForced: rarely(fc.boolean()),
  }),
  ({ order: place, ...target }) =>
    (world) => {
      const id = world.id('dlv', place)
      return async ({ deliveries }, now) => [
        await deliveries.add({ id, ...target }, now),
        await deliveries.latest(target),
        await deliveries.recipient(target),
      ]
    },
)

const purge = steps(
  'purge deliveries',
  fc.record({
    kind: fc.constantFrom('log', 'webhook', 'mail', 'letter'),
    keepDays: fc.constantFrom(0, 1, 90),
    limit: fc.constantFrom(1, 1000),
  }),
  ({ kind, ...keep }) =>
    () =>
    ({ deliveries }, now) =>
      deliveries.purge(kind, keep, now),
)

const expire = steps(
  'expire deliveries',
  fc.constantFrom('log', 'webhook', 'mail', 'letter'),
  (kind) =>
    () =>
    async ({ deliveries }, now) => [
      await deliveries.expire(kind, now),
      await deliveries.counts(kind, undefined, now),
    ],
)

/** Steps that notify audiences of alerts. */
export const deliverySteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: setWebhook },
  { weight: 1, arbitrary: removeWebhook },
  { weight: 2, arbitrary: setMailboxes },
  { weight: 1, arbitrary: removeMailboxes },
  { weight: 3, arbitrary: bundle },
  { weight: 3, arbitrary: take },
  { weight: 3, arbitrary: settle },
  { weight: 1, arbitrary: add },
  { weight: 1, arbitrary: purge },
  { weight: 1, arbitrary: expire },
]
