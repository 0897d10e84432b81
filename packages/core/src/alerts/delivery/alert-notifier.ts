import type { Clock } from '../../clock.ts'
import type { Delivery, DeliveryOutcome, DeliveryState } from '../../deliveries/delivery.ts'
import { type DeliverySender, runDeliveries } from '../../deliveries/delivery-run.ts'
import type { WebhookChannel } from '../../deliveries/webhook-channel.ts'
import type { Ids } from '../../ids.ts'
import type { Log } from '../../log.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { placeOf } from '../../secrets/secrets-store.ts'
import type { Storage, Stores } from '../../storage/storage.ts'
import type { AlertMetrics } from '../alert-metrics.ts'
import { announceInLog, digestOf } from './alert-channels.ts'
import { ALERT_CHANNELS, audienceOf, targetOf } from './alert-deliveries-store.ts'

/** Dependencies of `AlertNotifier`. */
export interface AlertNotifierParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly channel: WebhookChannel
  readonly keyring: Keyring
  readonly metrics: AlertMetrics
}

const MINUTE = 60
/**
 * Delays before each retry of a failed delivery, in seconds. After the last retry, about a day and a half
 * later, the delivery is given up.
 */
export const RETRY_SECONDS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 600, 600].map(
  (minutes) => minutes * MINUTE - MINUTE / 2,
)

/** Delivers the notices of evaluations: bundles them into digests, and sends these. */
export class AlertNotifier implements DeliverySender {
  readonly kinds = ALERT_CHANNELS
  readonly retrySeconds = RETRY_SECONDS
  readonly #parts: AlertNotifierParts

  constructor(parts: AlertNotifierParts) {
    this.#parts = parts
  }

  /**
   * Makes one digest for each audience that has undelivered notices, and attempts all deliveries that are
   * due. Replicas that deliver at the same time never take the same delivery. Returns the number of
   * successful deliveries.
   */
  async deliver(signal?: AbortSignal): Promise<number> {
    const { storage, ids, clock } = this.#parts
    for (const audience of await storage.alertDeliveries.waiting()) {
      const id = ids.next('msg')
      await storage.transaction(async ({ alertDeliveries, deliveries }) => {
        const isMade = await alertDeliveries.bundle(id, audience)
        if (isMade) await deliveries.add({ id, ...targetOf(audience) }, clock.statementTime())
      })
    }
    return runDeliveries(this.#parts, this, signal)
  }

  /** Writes a digest to the log, or sends it to the webhook of its audience. */
  async send(delivery: Delivery, signal: AbortSignal | undefined): Promise<DeliveryOutcome> {
    const { storage, log, channel, clock, keyring } = this.#parts
    const { id, createdAt } = delivery
    const audience = audienceOf(delivery)
    const digest = {
      id,
      createdAt,
      ...audience,
      ...(await storage.alertDeliveries.digest({ id, ...audience })),
    }
    if (digest.channel === 'log') return announceInLog(log, digest)
    if (digest.webhook === undefined) {
      return { delivered: false, status: undefined, error: 'no-webhook', isFinal: true }
    }
    const { url, tenantId, secret: sealed } = digest.webhook
    const secret = keyring.open(sealed, placeOf('alertWebhooks', tenantId))
    const body = JSON.stringify(digestOf(digest))
    return channel.send({ url, secret, id, at: clock.now(), body, signal })
  }

  /** Notes on the alerts of a digest that arrived when they were announced. */
  async settled({ alertDeliveries }: Stores, delivery: Delivery, state: DeliveryState): Promise<void> {
    if (state === 'sent') await alertDeliveries.announced(delivery.id, this.#parts.clock.statementTime())
  }

  /** Counts an attempt. */
  ended(delivery: Delivery, state: DeliveryState): void {
    this.#parts.metrics.delivery(audienceOf(delivery).channel, state === 'due' ? 'retried' : state)
  }
}
