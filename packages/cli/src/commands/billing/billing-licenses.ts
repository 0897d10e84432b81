import type { BillingStatusView, CheckoutView, TierView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { expiry, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'

/** Lists the tiers of licenses. */
export const listTiers: Handler<object> = async (run) => {
  const answer = await run.operate<{ tiers: readonly TierView[] }>('billing.tiers', {})
  run.print(answer, (page) =>
    table(
      [
        { title: 'TIER', text: ({ tier }) => tier },
        { title: 'PLAN', text: ({ plan }) => plan },
        { title: 'PRICE', text: ({ price_id }) => price_id ?? 'not for sale' },
        { title: 'FEATURES', narrow: 'shrinks', text: ({ features }) => features.join(', ') },
      ],
      answer.tiers,
      page,
    ),
  )
  if (answer.tiers.length === 0)
    run.hint('No tiers: SERVICE_LICENSE_TIERS names them, and PAYMENT_PRICE_<TIER> their prices.')
}

const statusFacts = (status: BillingStatusView, page: Page): string =>
  facts(
    [
      ['license', status.license_id],
      ['tier', status.tier],
      ['status', status.status],
      ['by', status.status === 'active' ? undefined : status.status_reason],
      ['billing', status.billing_state ?? 'nothing'],
      ['paid until', status.current_period_end === 0 ? undefined : instant(status.current_period_end, page)],
      ['expires', status.expires_at === 0 ? 'never' : instant(status.expires_at, page)],
      ['contact', status.contact_email],
      ['customer', status.customer_id],
      [
        'checkout',
        status.checkout && `${status.checkout.id} ${status.checkout.tier} ${status.checkout.state}`,
      ],
      ['unpaid', status.unpaid_invoices.map((each) => each.invoice_id).join(', ') || undefined],
    ],
    page,
  )

const subscriptionsTable = (subscriptions: BillingStatusView['subscriptions'], page: Page): string =>
  table(
    [
      { title: 'SUBSCRIPTION', text: ({ id }) => id },
      {
        title: 'STATUS',
        text: ({ status }) => status ?? 'unknown',
        colour: ({ status }) => stateColour(status ?? ''),
      },
      { title: 'TIER', text: ({ tier }) => tier ?? '' },
      { title: 'PARKED', text: ({ parked_reason }) => parked_reason ?? '' },
      {
        title: 'UNTIL',
        narrow: 'leaves',
        text: (each) => expiry(each.current_period_end || undefined, page),
      },
    ],
    subscriptions,
    page,
  )

/** Shows how a license stands. */
export const showStatus: Handler<object> = async (run) => {
  const answer = await run.operate<BillingStatusView>('billing.status', { license: run.arg(0) })
  const { subscriptions } = answer
  run.print(answer, (page) =>
    subscriptions.length === 0
      ? statusFacts(answer, page)
      : `${statusFacts(answer, page)}\n${subscriptionsTable(subscriptions, page)}`,
  )
}

/** Flags of `svc billing checkout`. */
export interface CheckoutOptions {
  readonly tier: string
  readonly email?: string
  readonly successUrl?: string
  readonly cancelUrl?: string
}

/** Opens the page where a license is paid for. */
export const openCheckout: Handler<CheckoutOptions> = async (run) => {
  const { tier, email, successUrl, cancelUrl } = run.options
  const input = given({
    license: run.arg(0),
    tier,
    customer_email: email,
    success_url: successUrl,
    cancel_url: cancelUrl,
  })
  const answer = await run.operate<CheckoutView>('billing.checkout', input)
  run.print(answer, (page) =>
    facts(
      [
        ['checkout', answer.id],
        ['tier', answer.tier],
        ['until', instant(answer.expires_at, page)],
        ['page', plain(answer.url)],
      ],
      page,
    ),
  )
  run.hint(
    'Give the page to the person who pays. The license changes when the payment provider says that it is paid.',
  )
}
