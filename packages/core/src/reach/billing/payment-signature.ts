import { isUtf8 } from 'node:buffer'

/** A message as it arrived, with its signature. */
export interface SignedMessage {
  readonly body: Buffer
  /** The header `stripe-signature`; undefined if it is absent or came more than once. */
  readonly signature: string | undefined
}

/** The check of a signature. */
export interface SignatureCheck {
  /** Any one of these will do, so that one can be replaced by another. */
  readonly secrets: readonly string[]
  readonly toleranceSeconds: number
  readonly now: Date
}

const MAX_HEADER_CHARS = 4096
const BYTE_ORDER_MARK = 0xef

/** The provider's package is loaded at the first message: a plane without billing does without. */
const webhooks = async () => (await import('stripe')).default.webhooks

/**
 * Whether the provider signed these very bytes lately. Its own check decodes the body first, which drops a
 * byte order mark and replaces invalid UTF-8, and it accepts a time of the future: both are refused here.
 */
export async function isGenuine({ body, signature = '' }: SignedMessage, check: SignatureCheck) {
  const { secrets, toleranceSeconds, now } = check
  if (signature === '' || signature.length > MAX_HEADER_CHARS || secrets.length === 0) return false
  if (body.length === 0 || !isUtf8(body) || body[0] === BYTE_ORDER_MARK) return false
  const times = signature.split(',').flatMap((part) => /^t=(\d{1,12})$/.exec(part.trim())?.[1] ?? [])
  if (times.length !== 1 || signature.split('t=').length !== 2) return false
  if (Number(times[0]) > now.getTime() / 1000 + toleranceSeconds) return false
  const { signature: signatures } = await webhooks()
  if (signatures === null) throw new Error('the package of the payment provider checks no signatures')
  const text = body.toString('utf8')
  // Every secret is tried, so that the time taken does not tell which one matched.
  return secrets.reduce((found, secret) => {
    try {
      signatures.verifyHeader(text, signature, secret, toleranceSeconds, undefined, now.getTime())
      return true
    } catch {
      return found
    }
  }, false)
}

/** Signs a message as the provider would, for tests of an installation. */
export async function signedHeader(body: string, secret: string, now: Date): Promise<string> {
  const timestamp = Math.floor(now.getTime() / 1000)
  return (await webhooks()).generateTestHeaderString({ payload: body, secret, timestamp })
}
