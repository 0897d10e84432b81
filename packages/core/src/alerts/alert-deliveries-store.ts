import type { Alert } from './alert.ts'
import type { AlertTransition } from './alert-lifecycle.ts'

/** Where alerts are announced. */
export const ALERT_CHANNELS = ['log', 'webhook'] as const
export type AlertChannelName = (typeof ALERT_CHANNELS)[number]

/** `due`: yet to be delivered · `sent`: taken by the receiver · `failed`: given up. */
export const DELIVERY_STATES = ['due', 'sent', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Who is told: the owner of a webhook, `''` for the platform's own. */
export interface AlertAudience {
  readonly channel: AlertChannelName
  readonly tenantId: string
}

/** One announcement: an alert as it was when it changed. */
export interface AlertNotice {
  readonly transition: AlertTransition
  readonly alert: Alert
}

/** How a delivery has gone so far. */
export interface DeliveryReport extends AlertAudience {
  readonly id: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  /** When it is tried again. */
  readonly dueAt: Date
  readonly settledAt: Date | undefined
  /** HTTP status of the last answer. */
  readonly status: number | undefined
  readonly error: string | undefined
}

/** Notices that travel together, under a lease. */
export interface AlertDelivery extends AlertAudience {
  /** Stable over attempts: a receiver knows a repeated delivery by it. */
  readonly id: string
  /** Attempts so far, this one included. */
  readonly attempts: number
  readonly createdAt: Date
  readonly notices: readonly AlertNotice[]
  readonly webhook: AlertWebhook | undefined
}

/** What became of an attempt. */
export interface DeliverySettlement {
  readonly id: string
  readonly token: string
  readonly state: DeliveryState
  /** Until it is tried again, when it is still due. */
  readonly delaySeconds: number
  readonly status: number | undefined
  readonly error: string | undefined
}

/** Where a tenant is told. */
export interface AlertWebhook {
  readonly tenantId: string
  readonly url: string
  /** `whsec_…`: signs what is sent there. */
  readonly secret: string
  readonly createdAt: Date
}

/** What has to be told, to whom, and how that went. */
export interface AlertDeliveriesStore {
  /** Audiences for which notices wait. The end of an alert waits until its opening has been delivered. */
  waiting(): Promise<readonly AlertAudience[]>
  /**
   * Makes one delivery of all that waits for an audience; false when nothing did, or somebody else was
   * faster.
   */
  bundle(id: string, audience: AlertAudience, now?: Date): Promise<boolean>
  /** Takes deliveries that are due, the longest due first, under a lease. */
  takeDue(
    request: { readonly token: string; readonly leaseSeconds: number; readonly limit: number },
    now?: Date,
  ): Promise<readonly AlertDelivery[]>
  /** Writes the end of an attempt; false when the lease is no longer held. */
  settle(settlement: DeliverySettlement, now?: Date): Promise<boolean>
  /** How the transitions of an alert were announced, oldest first. */
  reports(
    alertId: string,
  ): Promise<readonly (DeliveryReport & { readonly transition: AlertTransition; readonly opening: number })[]>
  /** The latest delivery to a webhook. */
  latest(tenantId: string): Promise<DeliveryReport | undefined>
  /** Sets the address; the secret stays as it is unless there is none yet, or `rotate`. */
  setWebhook(
    webhook: Omit<AlertWebhook, 'createdAt'> & { readonly rotate: boolean },
    now?: Date,
  ): Promise<AlertWebhook>
  webhook(tenantId: string): Promise<AlertWebhook | undefined>
  webhooks(): Promise<readonly AlertWebhook[]>
  /** Whether there was one. */
  removeWebhook(tenantId: string): Promise<boolean>
}
