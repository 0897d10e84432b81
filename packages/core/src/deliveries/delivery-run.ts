import type { Clock } from '../clock.ts'
import type { Ids } from '../ids.ts'
import type { Storage, Stores } from '../storage/storage.ts'
import type { Delivery, DeliveryOutcome, DeliveryState } from './delivery.ts'

/** The part of a feature in the delivery of its kinds. */
export interface DeliverySender {
  readonly kinds: readonly string[]
  /**
   * Delays before each retry of a failed delivery, in seconds. A delivery whose last retry fails is given up.
   */
  readonly retrySeconds: readonly number[]
  /** Makes one attempt. Never throws for a failure of the receiver. Must end within `LEASE_SECONDS`. */
  send(delivery: Delivery, signal: AbortSignal | undefined): Promise<DeliveryOutcome>
  /** Writes what follows from a recorded result, in the transaction that records the result. */
  settled(stores: Stores, delivery: Delivery, state: DeliveryState): Promise<void>
  /** Called after each attempt, for metrics. */
  ended(delivery: Delivery, state: DeliveryState): void
}

/** Dependencies of `runDeliveries`. */
export interface DeliveryRunParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
}

/** Longer than any attempt. If a replica dies, its deliveries are retried after this time. */
export const LEASE_SECONDS = 60
/** The most deliveries that one run takes. */
const DELIVERIES_PER_RUN = 100

/**
 * Attempts the deliveries of a sender that are due, and records the results. Replicas that run at the same
 * time never take the same delivery. Returns the number of successful deliveries.
 */
export async function runDeliveries(
  { storage, clock, ids }: DeliveryRunParts,
  sender: DeliverySender,
  signal: AbortSignal | undefined,
): Promise<number> {
  const token = ids.secret(16)
  const { kinds } = sender
  const request = { kinds, token, leaseSeconds: LEASE_SECONDS, limit: DELIVERIES_PER_RUN }
  const due = await storage.deliveries.takeDue(request, clock.statementTime())
  const attempt = async (delivery: Delivery): Promise<boolean> => {
    const outcome = await sender.send(delivery, signal)
    const { status, error } = outcome
    const settlement = { id: delivery.id, token, status, error, ...nextOf(delivery, outcome, sender) }
    await storage.transaction(async (stores) => {
      const isHeld = await stores.deliveries.settle(settlement, clock.statementTime())
      if (isHeld) await sender.settled(stores, delivery, settlement.state)
    })
    sender.ended(delivery, settlement.state)
    return outcome.delivered
  }
  return (await Promise.all(due.map(attempt))).filter(Boolean).length
}

function nextOf(
  { attempts }: Delivery,
  { delivered, isFinal }: DeliveryOutcome,
  { retrySeconds }: DeliverySender,
): { readonly state: DeliveryState; readonly delaySeconds: number } {
  const isOver = isFinal || attempts > retrySeconds.length
  return {
    state: delivered ? 'sent' : isOver ? 'failed' : 'due',
    delaySeconds: retrySeconds[attempts - 1] ?? 0,
  }
}
