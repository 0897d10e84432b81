import type { Alert } from '../alert.ts'
import type { AlertTransition } from '../alert-lifecycle.ts'

/** Channels that announce alerts. */
export const ALERT_CHANNELS = ['log', 'webhook'] as const
export type AlertChannelName = (typeof ALERT_CHANNELS)[number]

/** `due`: waits for its next attempt · `sent`: the receiver accepted it · `failed`: given up. */
export const DELIVERY_STATES = ['due', 'sent', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Receiver of announcements on a channel: a tenant, or the platform (`tenantId` is `''`). */
export interface AlertAudience {
  readonly channel: AlertChannelName
  readonly tenantId: string
}

/** One announcement, with a snapshot of the alert from when it changed. */
export interface AlertNotice {
  readonly transition: AlertTransition
  readonly alert: Alert
}

/** State of a delivery. */
export interface DeliveryReport extends AlertAudience {
  readonly id: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  /** When the next attempt is due. */
  readonly dueAt: Date
  readonly settledAt: Date | undefined
  /** HTTP status of the last answer. */
  readonly status: number | undefined
  readonly error: string | undefined
}

/** A batch of notices for one audience, taken under a lease. */
export interface AlertDelivery extends AlertAudience {
  /** Stays the same over all attempts, so that receivers recognize a repeated delivery. */
  readonly id: string
  /** Attempts so far, this one included. */
  readonly attempts: number
  readonly createdAt: Date
  readonly notices: readonly AlertNotice[]
  readonly webhook: AlertWebhook | undefined
}

/** Outcome of an attempt. */
export interface DeliverySettlement {
  readonly id: string
  readonly token: string
  readonly state: DeliveryState
  /** Delay before the next attempt, from now. Used only if `state` is `due`. */
  readonly delaySeconds: number
  readonly status: number | undefined
  readonly error: string | undefined
}

/** The webhook of a tenant, or of the platform (`tenantId` is `''`). */
export interface AlertWebhook {
  readonly tenantId: string
  readonly url: string
  /** `whsec_…`: the key that signs messages to this webhook. */
  readonly secret: string
  readonly createdAt: Date
}

/** Storage of webhooks, and of the deliveries of alerts with their outcomes. */
export interface AlertDeliveriesStore {
  /**
   * Audiences that have undelivered notices. A `resolved` notice waits until the opening of its alert was
   * delivered.
   */
  waiting(): Promise<readonly AlertAudience[]>
  /**
   * Makes one delivery of all notices that wait for an audience. Returns false if there were none, or if
   * another replica took them first.
   */
  bundle(id: string, audience: AlertAudience, now?: Date): Promise<boolean>
  /** Takes due deliveries under a lease, longest due first. */
  takeDue(
    request: { readonly token: string; readonly leaseSeconds: number; readonly limit: number },
    now?: Date,
  ): Promise<readonly AlertDelivery[]>
  /** Records the outcome of an attempt. Returns false if the lease is no longer held. */
  settle(settlement: DeliverySettlement, now?: Date): Promise<boolean>
  /** Deliveries of each transition of an alert, oldest first. */
  reports(
    alertId: string,
  ): Promise<readonly (DeliveryReport & { readonly transition: AlertTransition; readonly opening: number })[]>
  /** The latest delivery to the webhook of a tenant. */
  latest(tenantId: string): Promise<DeliveryReport | undefined>
  /** Sets the address of a webhook. An existing secret is kept unless `rotate` is set. */
  setWebhook(
    webhook: Omit<AlertWebhook, 'createdAt'> & { readonly rotate: boolean },
    now?: Date,
  ): Promise<AlertWebhook>
  webhook(tenantId: string): Promise<AlertWebhook | undefined>
  webhooks(): Promise<readonly AlertWebhook[]>
  /** Removes a webhook. Returns false if there was none. */
  removeWebhook(tenantId: string): Promise<boolean>
}
