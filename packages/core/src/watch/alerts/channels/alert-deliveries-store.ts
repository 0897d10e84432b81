import type { Scope } from '../../../kernel/scope.ts'
import type { DeliveryState, DeliveryTarget } from '../../../platform/deliveries/delivery.ts'
import type { Alert } from '../alert.ts'
import type { AlertTransition } from '../alert-lifecycle.ts'

/** Channels that announce alerts. */
export const ALERT_CHANNELS = ['log', 'webhook', 'mail'] as const
export type AlertChannelName = (typeof ALERT_CHANNELS)[number]

/** Receiver of announcements on a channel: a tenant, or the platform (`tenantId` is `''`). */
export interface AlertAudience {
  readonly channel: AlertChannelName
  readonly tenantId: string
}

/** Returns an audience as the outbox knows it: the channel is the kind, the tenant the recipient. */
export const targetOf = ({ channel, tenantId }: AlertAudience): DeliveryTarget => ({
  kind: channel,
  recipient: tenantId,
})

/** Returns the audience of a delivery whose kind is a channel of alerts. */
export const audienceOf = ({ kind, recipient }: DeliveryTarget): AlertAudience => ({
  channel: kind as AlertChannelName,
  tenantId: recipient,
})

/** One announcement, with a snapshot of the alert from when it changed. */
export interface AlertNotice {
  readonly transition: AlertTransition
  readonly alert: Alert
}

/** Payload of a delivery: the notices of its digest. */
export interface AlertDigest {
  readonly notices: readonly AlertNotice[]
  /** The webhook that the digest goes to; undefined on other channels, and if the webhook was removed. */
  readonly webhook: AlertWebhook | undefined
  /** The addresses that the digest goes to; none on other channels, and if they were removed. */
  readonly addresses: readonly string[]
}

/** One transition of an alert, with the state of its delivery. */
export interface AlertDeliveryReport extends AlertAudience {
  /** Id of the delivery; `''` while the notice waits for one. */
  readonly id: string
  readonly transition: AlertTransition
  /** Number of the opening that the transition belongs to. */
  readonly opening: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: Date
  /** When the next attempt is due. */
  readonly dueAt: Date
  readonly settledAt: Date | undefined
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

/** Mail addresses that get the alerts of a tenant, or of the platform (`tenantId` is `''`). */
export interface AlertMailboxes {
  readonly tenantId: string
  readonly addresses: readonly string[]
  readonly createdAt: Date
}

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly alertDeliveries: AlertDeliveriesStore
  }
}

/** Storage of the webhooks and mail addresses of alerts, and of the alerts that deliveries announce. */
export interface AlertDeliveriesStore {
  /**
   * Audiences that have undelivered notices. A `resolved` notice waits until the opening of its alert was
   * delivered.
   */
  waiting(): Promise<readonly AlertAudience[]>
  /**
   * Puts all notices that wait for an audience into the delivery `id`, which the caller adds in the same
   * transaction. Returns false if there were none, or if another replica took them first.
   */
  bundle(id: string, audience: AlertAudience): Promise<boolean>
  /** Returns the payload of a delivery. */
  digest(delivery: AlertAudience & { readonly id: string }): Promise<AlertDigest>
  /** Notes that a delivery arrived, on each alert whose current opening it announced for the first time. */
  announced(deliveryId: string, now?: Date): Promise<void>
  /** Deliveries of each transition of an alert, oldest first. */
  reports(alertId: string): Promise<readonly AlertDeliveryReport[]>
  /** Sets the address of a webhook. An existing secret is kept unless `rotate` is set. */
  setWebhook(
    webhook: Omit<AlertWebhook, 'createdAt'> & { readonly rotate: boolean },
    now?: Date,
  ): Promise<AlertWebhook>
  webhook(tenantId: string): Promise<AlertWebhook | undefined>
  webhooks(scope: Scope): Promise<readonly AlertWebhook[]>
  /** Removes a webhook. Returns false if there was none. */
  removeWebhook(tenantId: string): Promise<boolean>
  /** Sets the mail addresses of a tenant in place of those it had. */
  setMailboxes(mailboxes: Omit<AlertMailboxes, 'createdAt'>, now?: Date): Promise<AlertMailboxes>
  mailboxes(scope: Scope): Promise<readonly AlertMailboxes[]>
  /** Removes the mail addresses of a tenant. Returns false if there were none. */
  removeMailboxes(tenantId: string): Promise<boolean>
}
