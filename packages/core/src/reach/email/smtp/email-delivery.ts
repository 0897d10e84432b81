import { Problem } from '../../../kernel/problem.ts'
import { PLATFORM } from '../../../kernel/scope.ts'
import type { LicenseStanding } from '../../../people/licenses/license.ts'
import type { Base } from '../../../platform/base.ts'
import type { Delivery, DeliveryOutcome } from '../../../platform/deliveries/delivery.ts'
import type { AttemptState, DeliverySender, Follow } from '../../../platform/deliveries/delivery-sender.ts'
import { placeOf } from '../../../platform/secrets/secrets-store.ts'
import type { Stores } from '../../../platform/storage/storage.ts'
import { maySend } from '../domains/email-domain.ts'
import type { EmailMetrics } from '../email-metrics.ts'
import { type EmailMessage, isOpen, STOPPED } from '../sending/email-message.ts'
import { openBody } from '../sending/sealed-body.ts'
import { type Attempt, askedOf, judgeCancelled, judgeGivenUp, judgeReplies, judgeUnknown } from './attempt.ts'
import { compose } from './compose.ts'
import { EMAIL_DELIVERY } from './email-queue.ts'
import type { MailRelay, TransactionResult } from './mail-relay.ts'

/** Dependencies of `EmailDelivery`. */
export interface EmailDeliveryParts extends Pick<Base, 'storage' | 'clock' | 'keyring' | 'config' | 'log'> {
  readonly metrics: EmailMetrics
  readonly relay: MailRelay
  readonly licenses: LicenseStanding
  /** Returns why a message of the service is not wanted any more; undefined if it is. */
  readonly unwanted: (stores: Stores, messageId: string) => Promise<string | undefined>
}

/** An outcome with its consequences for the message. */
interface EmailOutcome extends DeliveryOutcome {
  readonly attempt?: Attempt
  readonly message?: EmailMessage
}

const SUPPRESSED_DAYS = 30
const ENDED = { status: undefined, isFinal: true, fault: 'ours' } as const
const BROKEN = {
  delivered: false,
  status: undefined,
  error: 'internal',
  isFinal: false,
  fault: 'ours',
} as const
/** Contents that no key opens wait for one, and use up no attempt. */
const UNOPENED = {
  delivered: false,
  status: undefined,
  error: 'secret_unavailable',
  isFinal: false,
  fault: 'unready',
  restSeconds: 300,
} as const

/** The part of email in the delivery of its kind: one attempt is one SMTP transaction for one message. */
export class EmailDelivery implements DeliverySender {
  readonly kind = EMAIL_DELIVERY
  readonly concurrency = 5
  readonly perRecipient = 5
  readonly jitter = 0.2
  readonly breaker = { failures: 1, cooldownSeconds: 60, cooldownMaxSeconds: 900 }
  readonly #parts: EmailDeliveryParts

  constructor(parts: EmailDeliveryParts) {
    this.#parts = parts
  }

  get retrySeconds(): readonly number[] {
    return this.#parts.config.email.retrySeconds
  }

  /** Sends one message to the recipients that have not got it yet. */
  async send(delivery: Delivery, signal: AbortSignal | undefined): Promise<EmailOutcome> {
    const { storage, log } = this.#parts
    const message = await storage.emailMessages.begin(delivery.payload ?? '')
    if (message === undefined || !message.recipients.some(isOpen) || isSettled(message))
      return { ...ENDED, delivered: false, error: 'cancelled-message' }
    const isLast = delivery.attempts > this.retrySeconds.length
    try {
      return await this.#attempt(message, isLast, signal)
    } catch (err) {
      log.error({ message: message.id, err }, 'a message could not be attempted')
      const attempt = isLast ? judgeGivenUp(message, 'it could not be attempted') : waiting(message)
      return { ...BROKEN, attempt, message }
    }
  }

  async #attempt(
    message: EmailMessage,
    isLast: boolean,
    signal: AbortSignal | undefined,
  ): Promise<EmailOutcome> {
    const { storage, config, relay, log, metrics } = this.#parts
    if (message.dataStartedAt !== undefined) {
      const stopped = { policy: config.email.unknownPolicy, detail: STOPPED }
      return this.#outcome(message, judgeUnknown(message, stopped))
    }
    const reason = await this.#reasonAgainst(message)
    if (reason !== undefined) return this.#outcome(message, judgeCancelled(message, reason))
    const bytes = await this.#bytes(message)
    if (bytes === 'gone') return this.#outcome(message, judgeGivenUp(message, 'its contents are gone'))
    if (bytes === 'sealed') return { ...UNOPENED, attempt: waiting(message), message }
    const started = () => storage.emailMessages.dataStarted(message.id, this.#parts.clock.statementTime())
    const to = askedOf(message, isLast).map(({ address }) => address)
    const envelope = { from: this.#returnPath(message), to }
    const result = await relay.send({ envelope, bytes, signal, started })
    if (result.status === 'fault') {
      metrics.relayFault(result.fault)
      log.warn({ fault: result.fault, detail: result.detail }, 'the mail relay did not take a message')
    }
    return this.#resultOf(message, isLast, result)
  }

  /** Writes the outcome for a message and its recipients, with the result of the attempt. */
  follow(_delivery: Delivery, _state: AttemptState, outcome: EmailOutcome): Follow | undefined {
    const { attempt, message } = outcome
    const { clock } = this.#parts
    if (attempt === undefined || message === undefined) return undefined
    return async (stores) => {
      await stores.emailMessages.record(attempt.progress, clock.statementTime())
      for (const address of attempt.suppress) {
        const suppression = { owner: message.owner, address, reason: 'no_mailbox', days: SUPPRESSED_DAYS }
        await stores.emailSuppressions.add(suppression, clock.statementTime())
      }
    }
  }

  #resultOf(message: EmailMessage, isLast: boolean, result: TransactionResult): EmailOutcome {
    const { config, metrics } = this.#parts
    switch (result.status) {
      case 'answered': {
        const attempt = judgeReplies(message, result.replies, isLast)
        for (const { state } of attempt.progress.recipients) metrics.recipient(state)
        return { ...this.#outcome(message, attempt), isReached: true }
      }
      case 'unknown': {
        metrics.recipient('unknown')
        const { detail, refused } = result
        const unknown = { policy: config.email.unknownPolicy, detail, refused }
        return this.#outcome(message, judgeUnknown(message, unknown))
      }
      case 'fault':
        return {
          delivered: false,
          status: undefined,
          error: result.fault,
          isFinal: false,
          fault: 'route',
          attempt: waiting(message),
          message,
        }
    }
  }

  #outcome(message: EmailMessage, attempt: Attempt): EmailOutcome {
    const { state } = attempt.progress
    const status = attempt.progress.recipients.find(({ smtpCode }) => smtpCode !== undefined)?.smtpCode
    if (state === 'sent' || state === 'partial')
      return { delivered: true, status, error: undefined, isFinal: true, attempt, message }
    return {
      delivered: false,
      status,
      error: state,
      isFinal: attempt.isOver,
      fault: 'ours',
      attempt,
      message,
    }
  }

  async #reasonAgainst({ id, owner, kind, domainId }: EmailMessage): Promise<string | undefined> {
    const { storage, licenses, unwanted } = this.#parts
    const domain = await storage.emailDomains.find(PLATFORM, domainId)
    if (domain === undefined || !maySend(domain)) return 'the sending domain is not verified'
    if (owner !== '' && !(await licenses.isGood(owner))) return 'the license is not good'
    return kind === 'alert' ? unwanted(storage, id) : undefined
  }

  async #bytes(message: EmailMessage): Promise<Buffer | 'gone' | 'sealed'> {
    const { storage, keyring } = this.#parts
    const { id, domainId, createdAt: date } = message
    const [body, domain] = [
      await storage.emailMessages.body(id),
      await storage.emailDomains.find(PLATFORM, domainId),
    ]
    if (body === undefined || domain === undefined) return 'gone'
    const opened = this.#opened(() => ({
      privateKey: keyring.open(domain.key.privateKey, placeOf('emailDomains', domainId)),
      contents: openBody(keyring, id, body),
    }))
    if (opened === undefined) return 'sealed'
    const { contents, privateKey } = opened
    const signature = { domain: domain.name, selector: domain.key.selector, privateKey }
    return compose({ messageId: id, date, contents, signature })
  }

  /** A key that is missing from the settings may come back. */
  #opened<T>(open: () => T): T | undefined {
    try {
      return open()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.#parts.log.error({ err: error }, 'a message cannot be opened: is its key in SERVICE_DATA_KEYS?')
      return undefined
    }
  }

  #returnPath({ id, from }: EmailMessage): string {
    const { returnPathHost } = this.#parts.config.email
    return returnPathHost === undefined ? from : `b+${id}@${returnPathHost}`
  }
}

const isSettled = ({ state }: EmailMessage): boolean => state !== 'queued' && state !== 'sending'

/** A message that nothing was said about: it waits as it was. */
const waiting = ({ id }: EmailMessage): Attempt => ({
  progress: { id, state: 'queued', recipients: [], isUnknown: false },
  suppress: [],
  isOver: false,
})
