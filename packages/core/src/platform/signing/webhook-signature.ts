import { createHmac } from 'node:crypto'
import { sameSecret } from './same-secret.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Returns a new signing secret for a webhook: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (secret: (bytes: number) => string): string =>
  `${PREFIX}${Buffer.from(secret(SECRET_BYTES), 'base64url').toString('base64')}`

/** A message to sign, and the secrets of its webhook: two while one replaces the other. */
export interface SignedMessage {
  readonly id: string
  readonly at: Date
  readonly body: string
  /** `whsec_…` */
  readonly secrets: readonly string[]
}

/** Returns the headers that authenticate a message (Standard Webhooks 1.0, symmetric signatures). */
export function webhookHeaders({ id, at, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const signed = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signed.join(' ') }
}

/** Returns whether a header `webhook-signature` has the signature of a message by its first secret. */
export function isSigned(message: SignedMessage, signatures: string): boolean {
  const own = webhookHeaders(message)['webhook-signature']?.split(' ')[0] ?? ''
  return signatures
    .split(' ')
    .map((each) => sameSecret(each, own))
    .includes(true)
}
