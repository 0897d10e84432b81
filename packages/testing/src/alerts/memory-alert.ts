import type {
  Alert,
  AlertActionEntry,
  AlertAudience,
  AlertTransition,
  AlertWebhook,
  DeliveryReport,
  Watch,
} from '@svc/core'

/** An alert as the fake keeps it: its snooze is its key's. */
export interface MemoryAlert extends Omit<Alert, 'snoozedUntil'> {
  readonly event: string | undefined
}

/** What is remembered of a dedup key; its alert is looked up. */
export interface MemoryWatch extends Omit<Watch, 'alert'> {
  readonly evaluatedAt: Date
}

/** The permission to announce one transition on one channel. */
export interface MemoryNotice extends AlertAudience {
  readonly alertId: string
  readonly opening: number
  readonly transition: AlertTransition
  readonly snapshot: Alert
  readonly createdAt: Date
  readonly deliveryId: string | undefined
}

/** A delivery with its lease. */
export interface MemoryDelivery extends DeliveryReport {
  readonly leaseToken: string | undefined
  readonly leaseUntil: Date | undefined
}

/** Another identity of a fingerprint. */
export interface MemoryIdentity {
  readonly licenseId: string
  readonly fingerprint: string
  readonly bootId: string
  readonly hostname: string
  readonly leftAt: Date
  readonly returnedAt: Date | undefined
}

/** Refused requests of one minute. */
export interface MemoryRefusals {
  readonly licenseId: string
  readonly minute: Date
  readonly count: number
}

/** The latest evaluation and the latest gap between two. */
export interface MemoryEvaluation {
  readonly at: Date
  readonly gapFrom: Date | undefined
  readonly gapUntil: Date | undefined
}

export type { AlertActionEntry, AlertWebhook }

/** A key of several texts. */
export const keyOf = (...texts: readonly (string | number)[]): string => JSON.stringify(texts)
