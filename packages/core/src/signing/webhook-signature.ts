import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Returns a new signing secret for a webhook: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (secret: (bytes: number) => string): string =>
  `${PREFIX}${Buffer.from(secret(SECRET_BYTES), 'base64url').toString('base64')}`

/** A message to sign, and the secret of its webhook. */
export interface SignedMessage {
  readonly id: string
  readonly at: Date
  readonly body: string
  /** `whsec_…` */
  readonly secret: string
}

/** Returns the headers that authenticate a message (Standard Webhooks 1.0, symmetric signatures). */
export function webhookHeaders({ id, at, body, secret }: SignedMessage): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}
