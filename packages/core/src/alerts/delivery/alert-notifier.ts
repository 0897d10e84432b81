import type { Clock } from '../../clock.ts'
import type { Ids } from '../../ids.ts'
import type { Log } from '../../log.ts'
import type { Storage } from '../../storage/storage.ts'
import type { AlertMetrics } from '../alert-metrics.ts'
import { announceInLog, type ChannelOutcome, digestOf, type WebhookChannel } from './alert-channels.ts'
import type { AlertDelivery } from './alert-deliveries-store.ts'

/** Dependencies of `AlertNotifier`. */
export interface AlertNotifierParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly channel: WebhookChannel
  readonly metrics: AlertMetrics
}

/** Longer than the timeout of a webhook. If a replica dies, its deliveries are retried after this time. */
const LEASE_SECONDS = 60
/** The most deliveries that one tick takes. */
const DELIVERIES_PER_TICK = 100
const MINUTE = 60
/**
 * Delays before each retry of a failed delivery, in seconds. After the last retry, about a day and a half
 * later, the delivery is given up.
 */
export const RETRY_SECONDS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 600, 600].map(
  (minutes) => minutes * MINUTE - MINUTE / 2,
)

/** Delivers the notices of evaluations: bundles them into digests, sends these, and records the outcomes. */
export class AlertNotifier {
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
    const { alertDeliveries } = storage
    for (const audience of await alertDeliveries.waiting()) {
      await alertDeliveries.bundle(ids.next('msg'), audience, clock.forStores())
    }
    const token = ids.secret(16)
    const request = { token, leaseSeconds: LEASE_SECONDS, limit: DELIVERIES_PER_TICK }
    const due = await alertDeliveries.takeDue(request, clock.forStores())
    const sent = await Promise.all(due.map((delivery) => this.#attempt(delivery, token, signal)))
    return sent.filter(Boolean).length
  }

  async #attempt(delivery: AlertDelivery, token: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { storage, clock, metrics } = this.#parts
    const { id, attempts, channel } = delivery
    const outcome = await this.#send(delivery, signal)
    const delaySeconds = RETRY_SECONDS[attempts - 1] ?? 0
    const isOver = outcome.isFinal || attempts > RETRY_SECONDS.length
    const state = outcome.delivered ? 'sent' : isOver ? 'failed' : 'due'
    const { status, error } = outcome
    const settlement = { id, token, state, delaySeconds, status, error } as const
    await storage.alertDeliveries.settle(settlement, clock.forStores())
    metrics.delivery(channel, state === 'due' ? 'retried' : state)
    return outcome.delivered
  }

  async #send(delivery: AlertDelivery, signal: AbortSignal | undefined): Promise<ChannelOutcome> {
    const { log, channel, clock } = this.#parts
    if (delivery.channel === 'log') return announceInLog(log, delivery)
    const { webhook, id } = delivery
    if (webhook === undefined) {
      return { delivered: false, status: undefined, error: 'no-webhook', isFinal: true }
    }
    const { url, secret } = webhook
    const body = JSON.stringify(digestOf(delivery))
    return channel.send({ url, secret, id, at: clock.now(), body, signal })
  }
}
