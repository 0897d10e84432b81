import { buildCheckout, buildPaymentEvent, buildSubscription } from '@svc/testing'
import fc from 'fast-check'
import { licenseId, rarely, type Step, steps } from '../../packages/core/test/conformance/world.ts'
import { change, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const subscription = fc.constantFrom('sub_1', 'sub_2', 'sub_3')
const checkout = fc.constantFrom('chk_1', 'chk_2', 'chk_3')
const event = fc.constantFrom('evt_1', 'evt_2', 'evt_3')
const customer = fc.constantFrom('cus_1', 'cus_2')
const reason = rarely(fc.constantFrom('duplicate_subscription' as const, 'unknown_price' as const))
const status = fc.constantFrom('active' as const, 'past_due' as const, 'unpaid' as const, 'canceled' as const)

const token = steps(
  'take sync token',
  fc.constant(0),
  () =>
    () =>
    ({ billing }) =>
      billing.nextToken(),
)
const put = steps(
  'put subscription',
  fc.record({
    id: subscription,
    licenseId,
    status,
    syncToken: fc.integer({ min: 1, max: 5 }),
    parkedReason: reason,
  }),
  (given) =>
    () =>
    ({ billing }) =>
      billing.put(buildSubscription({ ...given, customerId: 'cus_1' })),
)
const park = steps(
  'park subscription',
  fc.record({ id: subscription, reason }),
  (given) =>
    () =>
    ({ billing }) =>
      billing.park(given.id, given.reason),
)
const bill = steps(
  'bill license',
  fc.record({
    licenseId,
    customerId: rarely(customer),
    state: fc.constantFrom('active' as const, 'unpaid' as const),
  }),
  (given) =>
    () =>
    async ({ billing }) =>
      billing.bill(given.licenseId, {
        tier: 'pro',
        status: given.state === 'active' ? 'active' : 'suspended',
        statusReason: given.state === 'active' ? undefined : 'billing',
        billingState: given.state,
        currentPeriodEnd: new Date('2026-03-01T00:00:00Z'),
        expiresAt: undefined,
        customerId: given.customerId,
      }),
)
const reserve = steps(
  'reserve checkout',
  fc.record({ id: checkout, licenseId, tier: fc.constantFrom('pro', 'starter') }),
  (given) =>
    () =>
    ({ billing }, now) =>
      billing.reserve(buildCheckout(given), now),
)
const move = steps(
  'move checkout',
  fc.record({
    id: checkout,
    from: fc.constantFrom(['creating'] as const, ['creating', 'open'] as const, ['expired'] as const),
    state: fc.constantFrom('creating' as const, 'open' as const, 'expired' as const),
    sessionId: rarely(fc.constantFrom('cs_1', 'cs_2')),
    url: rarely(fc.constant('v1:url')),
    idleSeconds: rarely(fc.constant(60)),
  }),
  ({ id, ...given }) =>
    () =>
    ({ billing }, now) =>
      billing.moveCheckout(id, given, now),
)
const answer = steps(
  'remember the answer to a checkout',
  fc.record({ licenseId, key: fc.constantFrom('k1', 'k2'), checkoutId: checkout, isReused: fc.boolean() }),
  ({ licenseId: license, ...given }) =>
    () =>
    ({ billing }, now) =>
      billing.answer(license, { ...given, bodyHash: 'digest' }, now),
)
const dun = steps(
  'open or end dunning',
  fc.record({ licenseId, invoiceId: fc.constantFrom('in_1', 'in_2'), ends: fc.boolean() }),
  ({ ends, ...given }) =>
    () =>
    ({ billing }, now) =>
      ends ? billing.endDunning(given.licenseId, now) : billing.openDunning({ ...given, startedAt: now }),
)
const looks = steps(
  'look at billing',
  fc.record({ licenseId, subscription, checkout, customer, event }),
  (given) =>
    () =>
    async ({ billing, paymentEvents }, now) => [
      await billing.lock(given.licenseId),
      await billing.ofCustomer(given.customer),
      await billing.subscription(given.subscription),
      await billing.liveCheckout(given.licenseId),
      await billing.checkoutOf('cs_1'),
      await billing.answered(given.licenseId, 'k1', now),
      await paymentEvents.get(given.event),
      await paymentEvents.troubles(24, now),
    ],
)
const addEvent = steps(
  'add payment event',
  fc.record({ id: event, isOther: fc.boolean() }),
  ({ id, isOther }) =>
    () =>
    ({ paymentEvents }, now) => {
      const settled = isOther
        ? { state: 'ignored' as const, error: 'livemode' }
        : { state: 'received' as const, error: undefined }
      return paymentEvents.add(buildPaymentEvent({ id }), { ...settled, delaySeconds: 60 }, now)
    },
)
const lease = fc.record({ token: fc.constantFrom('one', 'two'), seconds: fc.constantFrom(60, 1) })
const claim = steps(
  'claim payment event',
  fc.record({ id: event, lease, due: fc.boolean() }),
  (given) =>
    () =>
    ({ paymentEvents }, now) =>
      given.due
        ? paymentEvents.claimDue(given.lease, now)
        : paymentEvents.claim(given.id, ['received', 'failed'], given.lease, now),
)
const settle = steps(
  'settle payment event',
  fc.record({
    id: event,
    token: fc.constantFrom('one', 'two'),
    state: fc.constantFrom('applied' as const, 'parked' as const, 'failed' as const),
    licenseId: rarely(licenseId),
    delaySeconds: rarely(fc.constantFrom(60, 300)),
  }),
  (given) =>
    () =>
    ({ paymentEvents }, now) =>
      paymentEvents.settle(given, now),
)
const resolve = steps(
  'resolve payment event',
  event,
  (id) =>
    () =>
    ({ paymentEvents }) =>
      paymentEvents.resolve(id),
)
const purge = steps(
  'purge billing',
  fc.constantFrom(90, 1, 0),
  (days) =>
    () =>
    async ({ billing, paymentEvents }, now) => [
      await billing.purge(days, now),
      await paymentEvents.purge(days, now),
    ],
)

const noEvent = () => ({ event: 'evt_none' })

/** Access to billing, and the random steps of its stores. */
export const feature: Feature = {
  operations: {
    'billing.tiers': read('platform.read', nothing),
    'billing.status': read('platform.read', ({ own }) => ({ license: own.licenseId }), [
      'not-found',
      wrong.license,
    ]),
    'billing.checkout': change(
      'platform.billing',
      ({ own }) => ({ license: own.licenseId, tier: 'pro' }),
      ({ own }) => ({ license: own.licenseId, tier: 'gold' }),
      'invalid-input',
    ),
    'billing.sync': change(
      'platform.billing',
      ({ own }) => ({ name: own.licenseId }),
      () => ({ name: 'lic_none' }),
    ),
    'billing.reconcile': change(
      'platform.billing',
      () => ({ dry_run: false }),
      () => ({ dry_run: 'x' }),
      'invalid-input',
    ),
    'billing.sign-test': read('platform.billing', () => ({ body: '{}' }), [
      'invalid-input',
      () => ({ body: '' }),
    ]),
    'billing-events.list': read('platform.billing', nothing, ['invalid-input', wrong.text]),
    'billing-events.show': read('platform.billing', ({ own }) => ({ event: own.things.paymentEvent }), [
      'not-found',
      noEvent,
    ]),
    'billing-events.retry': change(
      'platform.billing',
      ({ own }) => ({ event: own.things.paymentEvent }),
      noEvent,
    ),
    'billing-events.resolve': change(
      'platform.billing',
      ({ own }) => ({ event: own.things.paymentEvent }),
      noEvent,
    ),
  },
  requests: {
    'POST /api/v1/billing/checkout': {
      asks: 'a license, also one that has expired, or a token of its owner',
      body: () => ({ tier: 'pro' }),
      good: 200,
    },
    'POST /api/webhooks/payment': { asks: 'nothing', body: () => ({}), good: 400 },
  },
  stage: async ({ storage, clock }, ofLicense) => {
    const id = ofLicense.replace('lic', 'evt')
    const { paymentEvents } = storage
    const now = clock.now()
    const refund = buildPaymentEvent({ id, type: 'charge.refunded', objectId: 'ch_1' })
    await paymentEvents.add(refund, { state: 'received', error: undefined, delaySeconds: 60 }, now)
    await paymentEvents.claim(id, ['received'], { token: 'staged', seconds: 60 }, now)
    await paymentEvents.settle(
      { id, token: 'staged', state: 'parked', error: 'refund', licenseId: ofLicense },
      now,
    )
    return { paymentEvent: id }
  },
  commands: {
    'billing tiers': () => [],
    'billing status': ({ bench }) => [bench.license.id],
    'billing checkout': ({ bench }) => [bench.license.id, '--tier', 'pro'],
    'billing events list': () => [],
    'billing events show': ({ things }) => [things.paymentEvent ?? ''],
    'billing events retry': ({ things }) => [things.paymentEvent ?? ''],
    'billing events resolve': ({ things }) => [things.paymentEvent ?? ''],
    'billing sync': ({ bench }) => [bench.license.id],
    'billing reconcile': () => [],
    'billing sign-test': () => [],
  },
  steps: [
    { weight: 1, arbitrary: token },
    { weight: 2, arbitrary: put },
    { weight: 1, arbitrary: park },
    { weight: 1, arbitrary: bill },
    { weight: 2, arbitrary: reserve },
    { weight: 2, arbitrary: move },
    { weight: 1, arbitrary: answer },
    { weight: 1, arbitrary: dun },
    { weight: 1, arbitrary: looks },
    { weight: 1, arbitrary: addEvent },
    { weight: 2, arbitrary: claim },
    { weight: 2, arbitrary: settle },
    { weight: 1, arbitrary: resolve },
    { weight: 1, arbitrary: purge },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ billing, paymentEvents }) => ({
    subscriptions: await billing.current(),
    ofLicenses: await Promise.all(['lic_a', 'lic_b'].map((id) => billing.subscriptions(id))),
    checkouts: await Promise.all(['chk_1', 'chk_2', 'chk_3'].map((id) => billing.checkout(id))),
    dunning: await billing.dunning(),
    paymentEvents: await paymentEvents.list({ limit: 1000 }),
  }),
}
