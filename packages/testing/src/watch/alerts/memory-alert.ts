import type {
  Alert,
  AlertActionEntry,
  AlertAudience,
  AlertKey,
  AlertTransition,
  AlertWebhook,
} from '@svc/core/ports'

/** An alert as the fake stores it; its snooze is stored with its dedup key. */
export interface MemoryAlert extends Omit<Alert, 'snoozedUntil'> {
  readonly event: string | undefined
}

/** The stored state of a dedup key, without its alert, which is looked up. */
export interface MemoryAlertKey extends Omit<AlertKey, 'alert'> {
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

/** An earlier identity (boot id and hostname) of a host. */
export interface MemoryIdentity {
  readonly licenseId: string
  readonly fingerprint: string
  readonly bootId: string
  readonly hostname: string
  readonly leftAt: Date
  readonly returnedAt: Date | undefined
}

/** The number of refused requests of a license in one minute. */
export interface MemoryRefusals {
  readonly licenseId: string
  readonly minute: Date
  readonly count: number
}

/** The latest evaluation, and the latest long gap between two evaluations. */
export interface MemoryEvaluation {
  readonly at: Date
  readonly gapFrom: Date | undefined
  readonly gapUntil: Date | undefined
}

export type { AlertActionEntry, AlertWebhook }

/** Returns one key made of several texts. */
export const keyOf = (...texts: readonly (string | number)[]): string => JSON.stringify(texts)
