import { idOfCursor } from '../../kernel/cursor.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { DeliveryRunner } from '../../platform/deliveries/delivery-runner.ts'
import { purgeDeliveries } from '../../platform/deliveries/retention.ts'
import type { EmailMessage, MessageState } from './sending/email-message.ts'
import type { EmailSending } from './sending/email-sending.ts'
import type { EmailSuppression } from './sending/email-suppressions-store.ts'
import { EMAIL_DELIVERY, emailDelivery, RELAY } from './smtp/email-queue.ts'
import type { MailRelay, RelayCheck } from './smtp/mail-relay.ts'

/** Dependencies of `Emails`. */
export interface EmailsParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'config'> {
  readonly sending: EmailSending
  readonly runner: DeliveryRunner
  readonly relay: MailRelay
}

const MESSAGE_DAYS = 90

/** Messages: the sent ones, the waiting ones, and suppressed recipients. */
export class Emails {
  readonly #parts: EmailsParts

  constructor(parts: EmailsParts) {
    this.#parts = parts
  }

  /** Queues messages. */
  get sending(): EmailSending {
    return this.#parts.sending
  }

  /** Attempts everything that is due. Returns the number of messages that the relay took. */
  async deliver(signal?: AbortSignal): Promise<number> {
    if (!this.sending.isConfigured) return 0
    const { storage, clock, runner } = this.#parts
    const { delivered, expired } = await runner.run({ signal })
    if (expired > 0) await storage.emailMessages.endLost(clock.statementTime())
    return delivered
  }

  /** Lists messages, newest first. @throws Problem `invalid-input` for a bad cursor */
  async list(filter: {
    owner?: string | undefined
    state?: MessageState | undefined
    limit: number
    cursor?: string | undefined
  }): Promise<{ readonly messages: readonly EmailMessage[]; readonly nextCursor: string | undefined }> {
    const { owner, state, limit } = filter
    const before = idOfCursor(filter.cursor, 'em')
    const found = await this.#parts.storage.emailMessages.list({ owner, state, before, limit: limit + 1 })
    const messages = found.slice(0, limit)
    return { messages, nextCursor: found.length > limit ? messages.at(-1)?.id : undefined }
  }

  /** @throws Problem `not-found` */
  async find(id: string): Promise<EmailMessage> {
    return present(await this.#parts.storage.emailMessages.find(id))
  }

  /**
   * Cancels the recipients that were not accepted yet. @throws Problem `not-found`, `conflict` if the message
   * is over
   */
  async cancel(id: string): Promise<EmailMessage> {
    const { storage, clock } = this.#parts
    const { state } = await this.find(id)
    if (state !== 'queued' && state !== 'sending')
      throw new Problem('conflict', { detail: `the message is ${state} already` })
    return present(await storage.emailMessages.cancel(id, clock.statementTime()))
  }

  /**
   * Sends a failed message again, to those who did not get it.
   * @throws Problem `not-found`, `conflict` if there is nobody to send it to, or its contents are gone
   */
  async retry(id: string): Promise<EmailMessage> {
    const { storage, clock, ids, config } = this.#parts
    await this.find(id)
    const refused = new Problem('conflict', { detail: 'there is nothing of this message to send again' })
    if ((await storage.emailMessages.body(id)) === undefined) throw refused
    const message = await storage.transaction(async ({ emailMessages, deliveries }) => {
      const queued = await emailMessages.requeue(id)
      const delivery = emailDelivery(ids.next('dlv'), id, config.email)
      if (queued !== undefined) await deliveries.add(delivery, clock.statementTime())
      return queued
    })
    if (message === undefined) throw refused
    return message
  }

  /** Addresses that get no messages. */
  suppressions(owner: string | undefined, limit: number): Promise<readonly EmailSuppression[]> {
    const { storage, clock } = this.#parts
    return storage.emailSuppressions.list({ owner, limit }, clock.statementTime())
  }

  /** Sends to an address again. @throws Problem `not-found` */
  async unsuppress(owner: string, address: string): Promise<void> {
    if (await this.#parts.storage.emailSuppressions.remove(owner, address)) return
    throw new Problem('not-found', { detail: 'this address is not suppressed: svc email suppressions list' })
  }

  /** Connects to the relay and signs in, and sends nothing. @throws Problem `email-not-configured` */
  async checkRelay(): Promise<RelayCheck> {
    this.sending.requireOpen()
    return this.#parts.relay.check()
  }

  /** Whether the relay is being left alone because it failed. */
  async isRelayDown(): Promise<boolean> {
    const target = { kind: EMAIL_DELIVERY, recipient: RELAY }
    return (await this.#parts.storage.deliveries.recipient(target)).breaker !== 'closed'
  }

  /** Deletes messages past their retention. Returns their number. */
  async purge(): Promise<number> {
    const { storage, clock, config } = this.#parts
    const now = clock.statementTime()
    await storage.emailMessages.endLost(now)
    await storage.emailSuppressions.purge(now)
    await purgeDeliveries(this.#parts, EMAIL_DELIVERY, MESSAGE_DAYS)
    const keep = { bodyDays: config.email.bodyDays, messageDays: MESSAGE_DAYS }
    return storage.emailMessages.purge(keep, now)
  }
}

function present(message: EmailMessage | undefined): EmailMessage {
  if (message !== undefined) return message
  throw new Problem('not-found', { detail: 'there is no such message: svc email queue list shows them' })
}
