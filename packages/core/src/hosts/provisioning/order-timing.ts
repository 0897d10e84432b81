import type { Order } from './order.ts'

const MINUTE = 60
const HOUR = 3600

/** Lease of a worker on an order. No single provider call outlasts it. */
export const LEASE_SECONDS = 120
/** How long a request for a server may take; shorter than the lease that covers it. */
export const CREATE_TIMEOUT_MS = 60_000
/** If more than this passes between recording a create request and sending it, it is not sent. */
export const CREATE_STALL_MS = 30_000
/** Requests for a server in the life of an order. */
export const MAX_CREATES = 3
/** How long after a request without an answer the server is looked for: lists of servers may lag. */
export const UNKNOWN_CREATE_SECONDS = 60
/**
 * No second request so soon after one was noted: the first may leave as late as a stall allows, take as long
 * as its timeout, and be in lists a minute later. So neither claims nor operators can hasten a second server.
 */
export const SECOND_CREATE_SECONDS =
  CREATE_STALL_MS / 1000 + CREATE_TIMEOUT_MS / 1000 + UNKNOWN_CREATE_SECONDS
/** How long after a request a server may still be unknown to the provider's own lists. */
export const LATE_SERVER_SECONDS = 5 * MINUTE

/** How long orders stay in a state that does not go on, in seconds. */
export const TIMEOUTS = {
  requested: 10 * MINUTE,
  creating: 10 * MINUTE,
  waiting_action: 15 * MINUTE,
  booting: 15 * MINUTE,
  waiting_agent: 45 * MINUTE,
} as const

/** How long an order waits for a change that only others can make, by reason, in seconds. */
const PATIENCE: Readonly<Record<string, number>> = {
  ceiling_reached: 72 * HOUR,
  currency_mismatch: 72 * HOUR,
  creates_per_hour: 72 * HOUR,
  rate_limited: 72 * HOUR,
  no_capacity: 24 * HOUR,
}

/** Seconds between two tries, by the reason. */
export const HOLD_SECONDS = HOUR

const CAPACITY_DELAYS = [5 * MINUTE, 15 * MINUTE, HOUR] as const

/** Seconds until a provider that has no room is asked again. */
export const capacityDelay = (attempt: number): number =>
  CAPACITY_DELAYS[Math.min(attempt, CAPACITY_DELAYS.length) - 1] ?? CAPACITY_DELAYS[0]

/** Seconds until a step that failed for the moment is tried again: 5 · 2^n, at most five minutes. */
export const retryDelay = (attempt: number): number =>
  Math.min(5 * 2 ** Math.min(Math.max(attempt - 1, 0), 10), 5 * MINUTE)

/** Seconds until a provider is asked again how far it is. */
export const pollDelay = (attempt: number): number => Math.min(5 * Math.max(attempt, 1), 30)

/** Seconds that have passed. */
export const secondsSince = (then: Date | undefined, now: Date): number =>
  then === undefined ? 0 : (now.getTime() - then.getTime()) / 1000

/** Whether an order has been in its state for longer than it may. */
export const isOverdue = (order: Order, now: Date): boolean => {
  const limit = TIMEOUTS[order.state as keyof typeof TIMEOUTS]
  return limit !== undefined && secondsSince(order.stateSince, now) >= limit
}

/** Whether an order has waited for longer than it may for one reason. */
export function isOutOfPatience(order: Order, reason: string, now: Date): boolean {
  const limit = PATIENCE[reason]
  if (limit === undefined || order.errorCode !== reason) return false
  return secondsSince(order.errorSince, now) >= limit
}
