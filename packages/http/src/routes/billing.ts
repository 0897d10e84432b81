import { CHECKOUT_FIELDS, checkoutView, flag, oneOf, shape, text } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { JSON_BODY_TYPE } from '../exchange/body/body.ts'
import { jsonBody } from '../exchange/body/json-body.ts'
import { rawBody } from '../exchange/body/raw-body.ts'
import { json } from '../exchange/reply.ts'
import { type GateRequest, route } from '../exchange/route.ts'
import { billableLicense } from '../gates/billable-license.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { perIp } from '../gates/per-ip.ts'
import { IDEMPOTENCY, sentKey } from './idempotency.ts'

/** Checkouts of one license: each asks the payment provider. */
const CHECKOUTS: RouteLimit = { name: 'billing-checkout', limit: 10, windowSeconds: 60 }
/** Messages of the payment provider, per client address and before anybody knows whose they are. */
const EVENTS: RouteLimit = { name: 'payment-webhook', limit: 600, windowSeconds: 60 }

const MAX_EVENT_BYTES = 524_288
const SIGNATURE = 'stripe-signature'

const checkoutBody = shape({
  tier: text(1, 64),
  success_url: optional(text(1, 2048)),
  cancel_url: optional(text(1, 2048)),
  customer_email: optional(text(1, 320)),
})

const receipt = shape({
  received: flag(),
  ignored: optional(oneOf(['livemode', 'type'])),
  duplicate: optional(flag()),
})

/** The header, if it came once: Node joins several into one text. */
function signatureOf({ rawHeaders }: GateRequest): string | undefined {
  const found = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === SIGNATURE && index % 2 === 1,
  )
  return found.length === 1 ? found[0] : undefined
}

/** Paying for a license (docs/billing.md). */
export const billingRoutes = [
  route({
    name: 'billing.checkout.licensed',
    method: 'POST',
    path: '/api/v1/billing/checkout',
    summary: 'Open the page where the license is paid for, or return the one that is open.',
    gate: billableLicense(CHECKOUTS),
    body: jsonBody(checkoutBody),
    reads: IDEMPOTENCY,
    replies: {
      200: { description: 'The page, which is good for an hour.', body: shape(CHECKOUT_FIELDS) },
      400: {
        description: 'A tier that is not for sale, or a page to return to that is not on a known site.',
      },
      409: {
        description:
          'The license is paid for already, was never issued, or another checkout is being made; or the `Idempotency-Key` was used with another body.',
      },
      502: { description: 'The payment provider did not answer, or refused.' },
      503: { description: 'Billing is not configured; `missing` names the settings.' },
    },
    handle: async ({ plane, caller, body, headers }) => {
      const { tier, success_url: successUrl, cancel_url: cancelUrl, customer_email: email } = body
      const asked = {
        licenseId: caller.licenseId,
        tier,
        successUrl,
        cancelUrl,
        email,
        idempotencyKey: sentKey(headers),
      }
      return json(checkoutView(await plane.checkouts.open(asked)))
    },
  }),
  route({
    name: 'billing.receive',
    method: 'POST',
    path: '/api/webhooks/payment',
    summary: 'Take an event of the payment provider, and bring the license in line with its subscription.',
    gate: perIp(EVENTS),
    reads: { 'Stripe-Signature': 'HMAC-SHA256 of the time and the body under the secret of the endpoint.' },
    // The signature covers the bytes, so that nothing reads them before it is checked.
    body: rawBody({
      maxBytes: MAX_EVENT_BYTES,
      types: [JSON_BODY_TYPE],
      verify: (body, request) =>
        request.plane.paymentEvents.receive({ body, signature: signatureOf(request) }),
    }),
    replies: {
      200: { description: 'The event is kept, and applied unless `ignored` says why not.', body: receipt },
      400: { description: 'No good signature, or no event.' },
      413: { description: 'More than 512 KiB.' },
      500: {
        description: 'The event is kept but could not be applied: it is tried again, as often as it is sent.',
      },
      503: { description: 'No secret is configured.' },
    },
    handle: ({ body }) => json({ received: true, ...body }),
  }),
]
