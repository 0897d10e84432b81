import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Spells a new signing secret of a webhook: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (secret: (bytes: number) => string): string =>
  `${PREFIX}${Buffer.from(secret(SECRET_BYTES), 'base64url').toString('base64')}`

/** What a webhook signature covers. */
export interface SignedMessage {
  readonly id: string
  readonly at: Date
  readonly body: string
  /** `whsec_…` */
  readonly secret: string
}

/** The headers by which a receiver knows a message as ours (Standard Webhooks 1.0, symmetric signatures). */
export function webhookHeaders({ id, at, body, secret }: SignedMessage): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}
