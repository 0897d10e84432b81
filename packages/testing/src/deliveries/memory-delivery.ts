import type { DeliveryReport } from '@svc/core/ports'

/** A delivery with its lease, as the fake stores it. */
export interface MemoryDelivery extends DeliveryReport {
  readonly leaseToken: string | undefined
  readonly leaseUntil: Date | undefined
}

/** Returns a delivery as readers get it: without its lease. */
export const reportOf = ({ leaseToken: _, leaseUntil: __, ...report }: MemoryDelivery): DeliveryReport =>
  report
