import type { Clock } from '../clock.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Storage } from '../storage/storage.ts'
import { announceInLog, type ChannelOutcome, digestOf, type WebhookChannel } from './alert-channels.ts'
import type { AlertDelivery } from './alert-deliveries-store.ts'
import type { AlertMetrics } from './alert-metrics.ts'

/** What `AlertNotifier` is built from. */
export interface AlertNotifierParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly channel: WebhookChannel
  readonly metrics: AlertMetrics
}

/** Longer than a receiver may take: a delivery whose replica died is tried again after it. */
const LEASE_SECONDS = 60
/** Deliveries that one tick takes on. */
const DELIVERIES_PER_TICK = 100
const MINUTE = 60
/**
 * How long a refused delivery waits before its next attempt; after the last it is given up, a day and a half
 * later.
 */
export const RETRY_SECONDS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 600, 600].map(
  (minutes) => minutes * MINUTE - MINUTE / 2,
)

/** Announces what evaluations permitted: bundles, sends, writes down what became of it. */
export class AlertNotifier {
  readonly #parts: AlertNotifierParts

  constructor(parts: AlertNotifierParts) {
    this.#parts = parts
  }

  /**
   * One digest for each audience for which something waits, and another attempt at deliveries that are due
   * again. Replicas that deliver at once share the work: what one has taken the others do not get. How many
   * were delivered.
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
