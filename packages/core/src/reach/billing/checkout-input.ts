import { Problem } from '../../kernel/problem.ts'
import type { Config } from '../../platform/config/config.ts'
import { addressOf, readMailbox } from '../email/sending/mailbox.ts'
import { returnOrigins } from './billing-settings.ts'

/** Inputs of a checkout. */
export interface CheckoutInput {
  readonly licenseId: string
  readonly tier: string
  readonly successUrl?: string | undefined
  readonly cancelUrl?: string | undefined
  readonly email?: string | undefined
  /** `Idempotency-Key`, as it was sent. */
  readonly idempotencyKey?: string | undefined
}

/** The pages that a checkout leads back to. */
export interface ReturnAddresses {
  readonly successUrl: string
  readonly cancelUrl: string
}

const MAX_URL_CHARS = 2048
const SUCCESS = '/billing/success?session_id={CHECKOUT_SESSION_ID}'
const CANCEL = '/billing/cancel'

/**
 * Returns the pages that a checkout leads back to: those that were asked for, if they are on a site of the
 * settings, else ours.
 * @throws Problem `billing-not-configured` with the names of missing settings, `invalid-input`
 */
export function returnAddresses(
  { successUrl, cancelUrl, email }: CheckoutInput,
  config: Config,
  missing: readonly string[],
): ReturnAddresses {
  const { publicUrl } = config.service
  const lacksOwn = publicUrl === undefined && (successUrl === undefined || cancelUrl === undefined)
  const names = [...missing, ...(lacksOwn ? ['SERVICE_PUBLIC_URL'] : [])]
  if (names.length > 0) {
    const detail = `billing is not configured: ${names.join(', ')}`
    throw new Problem('billing-not-configured', { missing: names, detail })
  }
  const origins = returnOrigins(config)
  const details = [
    ...(isReturn(successUrl, origins) ? [] : [refusal('success_url', origins)]),
    ...(isReturn(cancelUrl, origins) ? [] : [refusal('cancel_url', origins)]),
    ...(isAddress(email) ? [] : ['customer_email: expected one email address']),
  ]
  if (details.length > 0) throw new Problem('invalid-input', { details })
  const site = publicUrl?.replace(/(?<!\/)\/+$/, '')
  return { successUrl: successUrl ?? `${site}${SUCCESS}`, cancelUrl: cancelUrl ?? `${site}${CANCEL}` }
}

const refusal = (name: string, origins: readonly string[]): string =>
  `${name}: expected an https address on ${origins.join(' or ') || 'a site of BILLING_RETURN_ORIGINS'}`

// Browsers drop blanks and turn backslashes, so that they may open another address than the one that was
// read.
function isReturn(given: string | undefined, origins: readonly string[]): boolean {
  if (given === undefined) return true
  if (given.length > MAX_URL_CHARS || /[^\x21-\x7e]|\\/.test(given) || !URL.canParse(given)) return false
  const { protocol, origin, username, password } = new URL(given)
  return protocol === 'https:' && username === '' && password === '' && origins.includes(origin)
}

const isAddress = (email: string | undefined): boolean => {
  if (email === undefined) return true
  const mailbox = readMailbox(email)
  return mailbox !== undefined && email.toLowerCase() === addressOf(mailbox).toLowerCase()
}
