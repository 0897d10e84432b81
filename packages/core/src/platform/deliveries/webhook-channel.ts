import type { DeliveryOutcome } from './delivery.ts'

/** Port to the webhooks of customers. */
export interface WebhookChannel {
  /** Sends one signed message and waits for the answer. Never throws for a failure of the receiver. */
  send(message: WebhookMessage): Promise<DeliveryOutcome>
}

/** A message to a webhook. */
export interface WebhookMessage {
  readonly url: string
  /** `whsec_…`: the keys that sign the message, one signature each. */
  readonly secrets: readonly string[]
  /** Stays the same over all attempts. */
  readonly id: string
  readonly at: Date
  readonly body: string
  readonly signal: AbortSignal | undefined
  /** Default: ten seconds. */
  readonly timeoutMs?: number | undefined
}
