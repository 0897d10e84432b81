import { createHash } from 'node:crypto'
import type { DeliveryOutcome } from './delivery.ts'

/** When a failed delivery is attempted again. */
export interface RetryPolicy {
  /**
   * Delays before each retry, in seconds. A delivery whose last retry fails is given up.
   */
  readonly retrySeconds: readonly number[]
  /**
   * Largest share that a delay may be longer or shorter by, so that deliveries that failed together spread.
   */
  readonly jitter: number
}

/** A receiver that asks for a later retry gets at most this much, if it is more than twice the delay. */
const ASKED_SECONDS = 3600

const UNIT = 2 ** 32

/**
 * Returns a factor from `1 - jitter` to `1 + jitter`. It follows from the name, so that every replica and
 * every repetition of a test gets the same.
 */
export function spreadOf(name: string, jitter: number): number {
  const share = createHash('sha256').update(name).digest().readUInt32BE() / UNIT
  return 1 + jitter * (2 * share - 1)
}

/**
 * Returns the delay before the attempt after the given one, in seconds: the schedule's delay with its jitter,
 * at least `restSeconds`, and the receiver's wish between the delay and twice the delay, or an hour if that
 * is more.
 */
export function retryDelay(
  { id, attempts }: { readonly id: string; readonly attempts: number },
  { restSeconds = 0, retryAfterSeconds }: Pick<DeliveryOutcome, 'restSeconds' | 'retryAfterSeconds'>,
  { retrySeconds, jitter }: RetryPolicy,
): number {
  const scheduled = retrySeconds[attempts - 1] ?? retrySeconds.at(-1) ?? 0
  const delay = Math.max(scheduled * spreadOf(`${id} ${attempts}`, jitter), restSeconds)
  if (retryAfterSeconds === undefined) return delay
  return Math.min(Math.max(retryAfterSeconds, delay), Math.max(2 * delay, ASKED_SECONDS))
}
