import { Problem } from '../../../kernel/problem.ts'
import type { Base } from '../../../platform/base.ts'
import type { BreakerPolicy } from '../../../platform/deliveries/breaker.ts'
import type { Delivery, DeliveryOutcome } from '../../../platform/deliveries/delivery.ts'
import { DeliveryRunner } from '../../../platform/deliveries/delivery-runner.ts'
import type { AttemptState, DeliverySender, Follow } from '../../../platform/deliveries/delivery-sender.ts'
import type { WebhookChannel } from '../../../platform/deliveries/webhook-channel.ts'
import { placeOf } from '../../../platform/secrets/secrets-store.ts'
import type { EmailSending, SystemMessage } from '../../../reach/email/sending/email-sending.ts'
import type { AlertMetrics } from '../alert-metrics.ts'
import { type AlertDelivery, announceInLog, digestOf } from './alert-channels.ts'
import { ALERT_CHANNELS, type AlertChannelName, audienceOf, targetOf } from './alert-deliveries-store.ts'
import { digestMail } from './alert-mail.ts'

/** Dependencies of `AlertNotifier`. */
export interface AlertNotifierParts
  extends Pick<Base, 'storage' | 'clock' | 'timers' | 'ids' | 'log' | 'keyring'> {
  readonly channel: WebhookChannel
  readonly mail: SystemMail
  readonly metrics: AlertMetrics
}

/** Ways to queue a message of the service itself. */
export type SystemMail = Pick<EmailSending, 'prepareSystem' | 'sendSystem'>

/** An outcome, with the message that an attempt by mail queues. */
interface NoticeOutcome extends DeliveryOutcome {
  readonly message?: SystemMessage
}

const MINUTE = 60
/**
 * Delays before each retry of a failed delivery, in seconds. After the last retry, about a day and a half
 * later, the delivery is given up.
 */
export const RETRY_SECONDS = [1, 2, 5, 15, 30, 60, 120, 240, 480, 600, 600].map(
  (minutes) => minutes * MINUTE - MINUTE / 2,
)

/** Retries come a little earlier or later, and still with the tick that they are meant for. */
export const RETRY_JITTER = 0.1
/** A receiver that fails five times in a row is left alone for a minute, then for longer, up to an hour. */
const BREAKER: BreakerPolicy = { failures: 5, cooldownSeconds: MINUTE, cooldownMaxSeconds: 60 * MINUTE }
const CONCURRENCY = 20
const PER_TENANT = 5

/** Delivers the notices of evaluations: bundles them into digests, and sends these. */
export class AlertNotifier {
  readonly #parts: AlertNotifierParts
  readonly #runners: readonly DeliveryRunner[]

  constructor(parts: AlertNotifierParts) {
    this.#parts = parts
    this.#runners = ALERT_CHANNELS.map((kind) => new DeliveryRunner(parts, this.#sender(kind)))
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
    const tallies = await Promise.all(this.#runners.map((runner) => runner.run({ signal })))
    return tallies.reduce((sum, { delivered }) => sum + delivered, 0)
  }

  #sender(kind: AlertChannelName): DeliverySender {
    return {
      kind,
      retrySeconds: RETRY_SECONDS,
      jitter: RETRY_JITTER,
      concurrency: CONCURRENCY,
      perRecipient: PER_TENANT,
      breaker: kind === 'webhook' ? BREAKER : undefined,
      send: (delivery, signal) => this.#send(delivery, signal),
      follow: (delivery, state, outcome) => this.#follow(delivery, state, outcome),
      ended: (_delivery, state) => {
        this.#parts.metrics.delivery(kind, state === 'due' ? 'retried' : state)
      },
    }
  }

  /** Writes a digest to the log, sends it to the webhook of its audience, or prepares its message. */
  async #send(delivery: Delivery, signal: AbortSignal | undefined): Promise<NoticeOutcome> {
    const { storage, log, channel, clock, keyring } = this.#parts
    const { id, createdAt } = delivery
    const audience = audienceOf(delivery)
    const notices = await storage.alertDeliveries.digest({ id, ...audience })
    const digest = { id, createdAt, ...audience, ...notices }
    if (digest.channel === 'log') return announceInLog(log, digest)
    if (digest.channel === 'mail') return this.#prepare(digest)
    if (digest.webhook === undefined) {
      return { delivered: false, status: undefined, error: 'no-webhook', isFinal: true, fault: 'ours' }
    }
    const { url, tenantId, secret: sealed } = digest.webhook
    const secret = keyring.open(sealed, placeOf('alertWebhooks', tenantId))
    const body = JSON.stringify(digestOf(digest))
    return channel.send({ url, secrets: [secret], id, at: clock.now(), body, signal })
  }

  async #prepare(digest: AlertDelivery): Promise<NoticeOutcome> {
    const { addresses } = digest
    const failed = { delivered: false, status: undefined, fault: 'ours' } as const
    if (addresses.length === 0) return { ...failed, error: 'no-mailbox', isFinal: true }
    try {
      const message = await this.#parts.mail.prepareSystem({ to: addresses, ...digestMail(digest) })
      return { delivered: true, status: undefined, error: undefined, isFinal: false, message }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { ...failed, error: error.code, isFinal: error.code === 'all-suppressed' }
    }
  }

  /**
   * Notes on the alerts of a digest that arrived when they were announced. A digest by mail has arrived when
   * its message is queued: both are written at once, so that a crash makes no second message.
   */
  #follow({ id }: Delivery, state: AttemptState, { message }: NoticeOutcome): Follow | undefined {
    if (state !== 'sent') return undefined
    return async (stores) => {
      if (message !== undefined) await this.#parts.mail.sendSystem(stores, message)
      await stores.alertDeliveries.announced(id, this.#parts.clock.statementTime())
    }
  }
}
