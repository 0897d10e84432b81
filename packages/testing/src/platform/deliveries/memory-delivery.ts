import type { DeliveryReport, RecipientState } from '@svc/core/ports'

/** A delivery with its lease, as the fake stores it. */
export interface MemoryDelivery extends DeliveryReport {
  readonly sequence: string | undefined
  readonly expiresAt: Date | undefined
  readonly leaseToken: string | undefined
  readonly leaseUntil: Date | undefined
  /** When the lease of the last attempt ends. */
  readonly spentAt: Date | undefined
}

/** The state of a receiver, as the fake stores it. */
export interface MemoryRecipient extends RecipientState {
  readonly kind: string
  readonly recipient: string
}

/** Returns a delivery as readers get it: without its lease. */
export function reportOf(delivery: MemoryDelivery): DeliveryReport {
  const {
    sequence: _,
    expiresAt: __,
    leaseToken: ___,
    leaseUntil: ____,
    spentAt: _____,
    ...report
  } = delivery
  return report
}
