import type { Fault } from '../fault.ts'

const CORE = 'packages/core/src/reach/billing'
const TESTS = 'packages/core/test/reach/billing'
const EVENTS = `${TESTS}/payment-events.test.ts`
const RULES = `${TESTS}/subscription.test.ts`
const CHECKOUTS = `${TESTS}/checkouts.test.ts`
const SIGNATURES = `${TESTS}/payment-signature.test.ts`

export const faults: readonly Fault[] = [
  {
    name: 'billing: a signature may be from the future',
    file: `${CORE}/payment-signature.ts`,
    find: '  if (Number(times[0]) > now.getTime() / 1000 + toleranceSeconds) return false\n',
    replace: '',
    suites: [SIGNATURES],
  },
  {
    name: 'billing: bytes that decode to the signed text will do',
    file: `${CORE}/payment-signature.ts`,
    find: '!isUtf8(body) || ',
    replace: '',
    suites: [SIGNATURES],
  },
  {
    name: 'billing: an event lifts the suspension of an operator',
    file: `${CORE}/license-billing.ts`,
    find: "(status === 'suspended' && statusReason === 'billing')",
    replace: "status === 'suspended'",
    suites: [RULES],
  },
  {
    name: 'billing: the tier comes from the first price that is there',
    file: `${CORE}/subscription.ts`,
    find: "  if (!known.every(({ tier }) => tier === first.tier)) return 'ambiguous_price'\n",
    replace: '',
    suites: [RULES],
  },
  {
    name: 'billing: the end of a second subscription suspends the license',
    file: `${CORE}/subscription.ts`,
    find: '  if (live !== undefined) return live\n',
    replace: '',
    suites: [RULES, EVENTS],
  },
  {
    name: 'billing: an older sync overwrites a newer one',
    file: `${CORE}/billing-statements-sql.ts`,
    find: "        .whereRef('billing_subscriptions.sync_token', '<', 'excluded.sync_token'),\n",
    replace: '',
    suites: [`${TESTS}/billing-store.test.ts`],
  },
  {
    name: 'billing: a sync does not look at its token',
    file: `${CORE}/subscription-sync.ts`,
    find: '(former?.syncToken ?? 0) >= token || ',
    replace: '',
    suites: [EVENTS],
  },
  {
    name: 'billing: events of one second are applied as they come',
    file: `${CORE}/subscription.ts`,
    find: ' && event.rank > last.rank)',
    replace: ')',
    suites: [RULES],
  },
  {
    name: 'billing: an event is applied by everybody who has it',
    file: `${CORE}/payment-events-store-sql.ts`,
    find: "where id = $1 and state = any($4::text[]) and ${FREE(at('$5'))} returning *",
    replace: 'where id = $1 and state = any($4::text[]) and ($5::timestamptz is null or true) returning *',
    suites: [`${TESTS}/payment-events-store.test.ts`],
  },
  {
    name: 'billing: a page to return to may have a user before the site',
    file: `${CORE}/checkout-input.ts`,
    find: "username === '' && password === '' && ",
    replace: '',
    suites: [CHECKOUTS],
  },
  {
    name: 'billing: a checkout leads back anywhere',
    file: `${CORE}/checkout-input.ts`,
    find: ' && origins.includes(origin)',
    replace: " && (origin !== '' || origins.length > 0)",
    suites: [CHECKOUTS],
  },
  {
    name: 'billing: a checkout that got no answer is made anew',
    file: `${CORE}/checkouts.ts`,
    find: '      if (error.isRefused)\n',
    replace: "      if (error.isRefused || id !== '')\n",
    suites: [CHECKOUTS],
  },
  {
    name: 'billing: a license that is paid for gets a checkout',
    file: `${CORE}/checkouts.ts`,
    find: '    if (live !== undefined) {',
    replace: "    if (live !== undefined && live.status === 'past_due') {",
    suites: [CHECKOUTS],
  },
  {
    name: 'billing: a suspended license cannot be paid for',
    file: 'packages/core/src/people/licenses/license.ts',
    find: "status === 'active' || (status === 'suspended' && statusReason === 'billing')",
    replace: "status === 'active' && statusReason !== 'billing'",
    suites: [EVENTS],
  },
  {
    name: 'billing: test events count in production',
    file: `${CORE}/billing-settings.ts`,
    find: 'livemode ? config.service.production : takesTestMode(config)',
    replace: 'livemode || config.service.production || takesTestMode(config)',
    suites: [EVENTS],
  },
  {
    name: 'billing: a failed payment opens a dunning although it was paid since',
    file: `${CORE}/subscription-sync.ts`,
    find: "new Set(['past_due', 'unpaid'])",
    replace: "new Set(['past_due', 'unpaid', 'active'])",
    suites: [EVENTS],
  },
  {
    name: 'billing: an address of the customer is kept with the event',
    file: `${CORE}/provider-shapes.ts`,
    find: "      return { customerId, sessionId: idOf(object), subscriptionId: idOf(own(object, 'subscription')) }",
    replace:
      "      return { customerId: String(within(object, 'customer_details', 'email')), sessionId: idOf(object), subscriptionId: idOf(own(object, 'subscription')) }",
    suites: [`${TESTS}/provider-shapes.test.ts`],
  },
]
