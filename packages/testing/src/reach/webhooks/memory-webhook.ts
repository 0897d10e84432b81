import type { DeliveryAttempt, WebhookEndpoint } from '@svc/core/ports'

/** An endpoint, as the fake stores it. */
export interface MemoryEndpoint extends WebhookEndpoint {
  readonly maxAgeSeconds: number
}

/** A message, as the fake stores it. */
export interface MemoryMessage {
  readonly id: string
  readonly licenseId: string
  readonly type: string
  readonly body: string
  readonly occurredAt: Date
}

/** An attempt of a delivery, as the fake stores it. */
export interface MemoryAttempt extends DeliveryAttempt {
  readonly deliveryId: string
}
