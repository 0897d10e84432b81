import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { Timers } from '../../kernel/timers.ts'
import type { Storage } from '../storage/storage.ts'
import type { DeliverySettlement } from './deliveries-store.ts'
import type { Delivery, DeliveryOutcome } from './delivery.ts'
import type { AttemptState, DeliverySender } from './delivery-sender.ts'
import { InFlight } from './in-flight.ts'
import { retryDelay, spreadOf } from './retry.ts'

/** Dependencies of `DeliveryRunner`. */
export interface DeliveryRunnerParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly timers: Timers
  readonly ids: Ids
  readonly log: Log
}

/** Bounds of one run. */
export interface DeliveryRun {
  /** Ends the run early: attempts under way are cancelled, and are due again at once. */
  readonly signal?: AbortSignal | undefined
  /** Ends the taking alone: attempts under way go on. */
  readonly until?: AbortSignal | undefined
  /** The most deliveries that the run takes. */
  readonly limit?: number | undefined
  /** After this time, nothing more is taken. */
  readonly claimMs?: number | undefined
  /** Only these receivers. */
  readonly only?: readonly string[] | undefined
}

/** Numbers of a run. */
export interface DeliveryTally {
  claimed: number
  delivered: number
  retried: number
  failed: number
  expired: number
}

/** Longer than any attempt. If a replica dies, its deliveries are retried after this time. */
export const LEASE_SECONDS = 60
const COOLDOWN_JITTER = 0.2
const OUR_FAILURE = {
  delivered: false,
  status: undefined,
  error: 'internal',
  isFinal: false,
  fault: 'ours',
} as const

/**
 * Attempts the due deliveries of a sender, and records the results. Runs may overlap, in one process and on
 * several replicas: they never take the same delivery, and share the limits of the process.
 */
export class DeliveryRunner {
  readonly #parts: DeliveryRunnerParts
  readonly #sender: DeliverySender
  readonly #inFlight: InFlight
  /** The last claim: claims of one process follow each other, so that each knows the others' deliveries. */
  #claim: Promise<unknown> = Promise.resolve()

  constructor(parts: DeliveryRunnerParts, sender: DeliverySender) {
    this.#parts = parts
    this.#sender = sender
    this.#inFlight = new InFlight(sender)
  }

  /** Takes due deliveries until none is left, or the run reaches one of its bounds. */
  async run({
    signal,
    until,
    limit = Number.POSITIVE_INFINITY,
    claimMs,
    only,
  }: DeliveryRun = {}): Promise<DeliveryTally> {
    const { storage, clock, timers, ids } = this.#parts
    const { kind } = this.#sender
    const tally = { claimed: 0, delivered: 0, retried: 0, failed: 0, expired: 0 }
    tally.expired = await storage.deliveries.expire(kind, clock.statementTime())
    const endMs = claimMs === undefined ? Number.POSITIVE_INFINITY : timers.elapsedMs() + claimMs
    const token = ids.secret(16)
    const isOver = () => signal?.aborted === true || until?.aborted === true
    const mayTake = () => !isOver() && tally.claimed < limit && timers.elapsedMs() < endMs
    const own = new Set<Promise<void>>()
    const failures: unknown[] = []
    const attempt = (delivery: Delivery) => {
      const work: Promise<void> = this.#attempt(delivery, token, tally, signal)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => {
          own.delete(work)
          this.#inFlight.end(delivery.recipient)
        })
      own.add(work)
    }
    try {
      while (mayTake() && failures.length === 0) {
        const { ended } = this.#inFlight
        const taken = await this.#inTurn(async () => {
          await this.#inFlight.room(signal)
          return mayTake() ? this.#take(token, limit - tally.claimed, only) : []
        })
        tally.claimed += taken.length
        for (const delivery of taken) attempt(delivery)
        if (taken.length > 0) continue
        // An attempt that ended since may have held back others of its receiver.
        if (own.size === 0 && ended === this.#inFlight.ended) break
        const half = Math.floor(own.size / 2)
        while (own.size > half && mayTake()) await this.#inFlight.next()
      }
    } finally {
      await Promise.all(own)
    }
    if (failures.length > 0) throw failures[0]
    return tally
  }

  #inTurn<T>(claim: () => Promise<T>): Promise<T> {
    const claimed = this.#claim.then(claim)
    this.#claim = claimed.catch(() => {})
    return claimed
  }

  async #take(
    token: string,
    most: number,
    only: readonly string[] | undefined,
  ): Promise<readonly Delivery[]> {
    const { storage, clock } = this.#parts
    const { kind, perRecipient, retrySeconds } = this.#sender
    const limit = Math.min(this.#inFlight.free, most)
    if (limit === 0) return []
    const { shares, after } = this.#inFlight
    const maxAttempts = retrySeconds.length + 1
    const bounds = { limit, perRecipient, shares, after, only, maxAttempts }
    const request = { kind, token, leaseSeconds: LEASE_SECONDS, ...bounds }
    const taken = await storage.deliveries.takeDue(request, clock.statementTime())
    for (const { recipient } of taken) this.#inFlight.begin(recipient)
    return taken
  }

  async #attempt(
    delivery: Delivery,
    token: string,
    tally: DeliveryTally,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { timers } = this.#parts
    const startMs = timers.elapsedMs()
    const outcome = await this.#send(delivery, signal)
    const durationMs = Math.round(timers.elapsedMs() - startMs)
    const { response = '' } = outcome
    const attempt = this.#sender.isRecorded ? { durationMs, response } : undefined
    const settlement = { ...this.#settlementOf(delivery, token, outcome), attempt }
    if (await this.#settle(delivery, settlement, outcome)) this.#count(tally, settlement.state)
    this.#sender.ended?.(delivery, settlement.state)
  }

  async #send(delivery: Delivery, signal: AbortSignal | undefined): Promise<DeliveryOutcome> {
    try {
      return await this.#sender.send(delivery, signal)
    } catch (err) {
      this.#parts.log.error({ delivery: delivery.id, err }, 'a delivery could not be attempted')
      return OUR_FAILURE
    }
  }

  async #settle(
    delivery: Delivery,
    settlement: DeliverySettlement,
    outcome: DeliveryOutcome,
  ): Promise<boolean> {
    const { storage, clock } = this.#parts
    const follow = this.#sender.follow?.(delivery, settlement.state, outcome)
    if (follow === undefined) return storage.deliveries.settle(settlement, clock.statementTime())
    return storage.transaction(async (stores) => {
      const isHeld = await stores.deliveries.settle(settlement, clock.statementTime())
      if (isHeld) await follow(stores)
      return isHeld
    })
  }

  /** A cancelled attempt says nothing about the receiver, and is made again by the next run. */
  #settlementOf(delivery: Delivery, token: string, outcome: DeliveryOutcome): DeliverySettlement {
    const { id, attempts, kind, recipient, isForced } = delivery
    const { breaker: policy, retrySeconds } = this.#sender
    const { delivered, status, error, isFinal, fault = 'receiver', isReached = delivered } = outcome
    if (error === 'cancelled')
      return { id, token, state: 'due', delaySeconds: 0, status, error, isUncounted: true }
    const isUncounted = fault === 'route' || fault === 'unready'
    const most = delivery.maxAttempts ?? retrySeconds.length + 1
    const isOver = isFinal || (attempts >= most && !isUncounted)
    const isTheirs = fault === 'receiver' || fault === 'route' || isReached
    const spread = spreadOf(`${kind} ${recipient} ${id} ${attempts}`, COOLDOWN_JITTER)
    return {
      id,
      token,
      state: delivered ? 'sent' : isOver ? 'failed' : 'due',
      delaySeconds: retryDelay(delivery, outcome, this.#sender),
      status,
      error,
      isUncounted,
      verdict:
        policy === undefined || isForced || !isTheirs ? undefined : { delivered: isReached, policy, spread },
    }
  }

  #count(tally: DeliveryTally, state: AttemptState): void {
    tally[({ sent: 'delivered', due: 'retried', failed: 'failed' } as const)[state]] += 1
  }
}
