import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { BillingMetrics } from './billing-metrics.ts'
import { isExpectedMode } from './billing-settings.ts'
import { type EventOutcome, workOn } from './event-work.ts'
import {
  isHandled,
  type PaymentEvent,
  type PaymentEventState,
  retrySeconds,
  type StoredPaymentEvent,
} from './payment-event.ts'
import type { EventFilter } from './payment-events-store.ts'
import type { PaymentProvider } from './payment-provider.ts'
import { PaymentProviderError } from './payment-provider.ts'
import { isGenuine, type SignedMessage } from './payment-signature.ts'
import { readEvent } from './provider-shapes.ts'
import type { SubscriptionSync } from './subscription-sync.ts'

/** Dependencies of `PaymentEvents`. */
export interface PaymentEventsParts extends Pick<Base, 'storage' | 'clock' | 'ids' | 'log' | 'config'> {
  readonly metrics: BillingMetrics
  readonly sync: SubscriptionSync
  readonly provider: PaymentProvider | undefined
}

/** The answer to an event that was taken. */
export interface EventReceipt {
  readonly ignored?: 'livemode' | 'type'
  readonly duplicate?: true
}

/** Longer than the provider may take to be asked, attempts included. */
const LEASE_SECONDS = 60
/** After so many days an event that nobody has to look at is forgotten. */
const RETENTION_DAYS = 90
/** States that let an event be applied when it arrives again. */
const UNSETTLED: readonly PaymentEventState[] = ['received', 'failed']

/** Events of the payment provider: each is kept before it is applied, and applied once. */
export class PaymentEvents {
  readonly #parts: PaymentEventsParts

  constructor(parts: PaymentEventsParts) {
    this.#parts = parts
  }

  /**
   * Takes a message of the provider.
   * @throws Problem `payment-webhook-not-configured`, `invalid-signature`, `invalid-event`,
   * `event-not-applied`
   */
  async receive(message: SignedMessage): Promise<EventReceipt> {
    const { storage, clock, config, metrics } = this.#parts
    const event = await this.#read(message)
    if (!isHandled(event.type)) return { ignored: 'type' }
    const isExpected = isExpectedMode(config, event.livemode)
    const settled = isExpected
      ? ({ state: 'received', error: undefined } as const)
      : ({ state: 'ignored', error: 'livemode' } as const)
    const delaySeconds = retrySeconds(1) ?? LEASE_SECONDS
    const isNew = await storage.paymentEvents
      .add(event, { ...settled, delaySeconds }, clock.statementTime())
      .catch((error: unknown) => this.#notApplied(event.id, error))
    if (!isExpected) {
      if (isNew) metrics.event('ignored')
      return { ignored: 'livemode' }
    }
    const outcome = await this.#apply(event.id, UNSETTLED).catch((error: unknown) =>
      this.#notApplied(event.id, error),
    )
    if (outcome !== undefined) return {}
    metrics.event('duplicate')
    return { duplicate: true }
  }

  /** Applies events that are due, one after the other. */
  async drain(signal: AbortSignal): Promise<void> {
    const { storage, clock, ids, log } = this.#parts
    while (!signal.aborted && this.isOpen) {
      const lease = { token: ids.next('lease'), seconds: LEASE_SECONDS }
      const event = await storage.paymentEvents.claimDue(lease, clock.statementTime())
      if (event === undefined) return
      await this.#work(event, lease.token).catch((error: unknown) => {
        log.warn({ event: event.id, reason: reasonOf(error) }, 'a payment event was not applied')
      })
    }
  }

  /** Whether events are taken at all. */
  get isOpen(): boolean {
    const { billing, faults } = this.#parts.config
    return billing.webhookSecrets.length > 0 && faults.billing === undefined
  }

  /** Events by filter, newest first. */
  list(filter: EventFilter): Promise<readonly StoredPaymentEvent[]> {
    return this.#parts.storage.paymentEvents.list(filter)
  }

  /** @throws Problem `not-found` */
  async get(id: string): Promise<StoredPaymentEvent> {
    const event = await this.#parts.storage.paymentEvents.get(id)
    if (event === undefined) throw noEvent(id)
    return event
  }

  /**
   * Applies a parked or failed event again, at once.
   * @throws Problem `not-found`, `conflict` for an event that is settled or being applied, `payment-provider`
   */
  async retry(id: string): Promise<StoredPaymentEvent> {
    const { state } = await this.get(id)
    const again: readonly PaymentEventState[] = ['received', 'parked', 'failed']
    const outcome = again.includes(state)
      ? await this.#apply(id, again).catch((error: unknown) => {
          if (error instanceof PaymentProviderError) throw new Problem('payment-provider')
          throw error
        })
      : undefined
    if (outcome === undefined)
      throw new Problem('conflict', { detail: `the event ${id} is ${state}: there is nothing to apply` })
    return this.get(id)
  }

  /** Sets a parked or failed event aside. @throws Problem `not-found`, `conflict` */
  async resolve(id: string): Promise<StoredPaymentEvent> {
    const event = await this.#parts.storage.paymentEvents.resolve(id)
    if (event === undefined) throw noEvent(id)
    if (event.state === 'ignored') return event
    throw new Problem('conflict', {
      detail: `the event ${id} is ${event.state}: nobody waits for a decision`,
    })
  }

  /** Deletes old events, checkouts and dunnings. */
  async purge(): Promise<number> {
    const { storage, clock } = this.#parts
    const now = clock.statementTime()
    return (
      (await storage.paymentEvents.purge(RETENTION_DAYS, now)) +
      (await storage.billing.purge(RETENTION_DAYS, now))
    )
  }

  async #read(message: SignedMessage): Promise<PaymentEvent> {
    const { config, clock, metrics } = this.#parts
    if (!this.isOpen) throw new Problem('payment-webhook-not-configured')
    const { webhookSecrets: secrets, toleranceSeconds } = config.billing
    if (!(await isGenuine(message, { secrets, toleranceSeconds, now: clock.now() }))) {
      metrics.event('refused')
      throw new Problem('invalid-signature')
    }
    const event = readEvent(documentOf(message.body))
    if (event !== undefined) return event
    metrics.event('refused')
    throw new Problem('invalid-event')
  }

  /**
   * Applies an event in one of `states`. Undefined: it is settled; @throws Error if somebody else applies
   * it.
   */
  async #apply(id: string, states: readonly PaymentEventState[]): Promise<EventOutcome | undefined> {
    const { storage, clock, ids } = this.#parts
    const lease = { token: ids.next('lease'), seconds: LEASE_SECONDS }
    const event = await storage.paymentEvents.claim(id, states, lease, clock.statementTime())
    if (event !== undefined) return this.#work(event, lease.token)
    const { state } = await this.get(id)
    if (states.includes(state))
      throw new Problem('conflict', { detail: `the event ${id} is being applied: try again in a minute` })
    return undefined
  }

  async #work(event: StoredPaymentEvent, token: string): Promise<EventOutcome> {
    const { storage, clock, metrics } = this.#parts
    const { id } = event
    try {
      const apply = await workOn(event, this.#parts)
      const outcome = await storage.transaction(async (stores) => {
        const done = await apply(stores)
        await stores.paymentEvents.settle({ id, token, ...done }, clock.statementTime())
        return done
      })
      metrics.event(outcome.state)
      return outcome
    } catch (error) {
      metrics.event('failed')
      const failed = { id, token, state: 'failed', error: wordOf(error) } as const
      const delaySeconds = retrySeconds(event.attempts)
      await storage.paymentEvents.settle({ ...failed, delaySeconds }, clock.statementTime()).catch(() => {})
      throw error
    }
  }

  #notApplied(id: string, error: unknown): never {
    if (error instanceof Problem && error.code === 'event-not-applied') throw error
    this.#parts.log.warn({ event: id, reason: reasonOf(error) }, 'a payment event was not applied')
    throw new Problem('event-not-applied')
  }
}

function documentOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function wordOf(error: unknown): string {
  if (error instanceof PaymentProviderError) return 'provider_error'
  return error instanceof Problem ? error.code : 'fault'
}

const reasonOf = (error: unknown): string =>
  error instanceof PaymentProviderError ? error.message : wordOf(error)

const noEvent = (id: string): Problem =>
  new Problem('not-found', { detail: `there is no event ${id}: svc billing events list shows them` })
