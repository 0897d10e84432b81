import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, at most until `signal` is aborted; never throws. Returns whether the whole time has passed. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  try {
    await sleep(milliseconds, undefined, { signal })
    return true
  } catch {
    return false
  }
}

/**
 * Returns a wait spread over 0.75 to 1.25 of `milliseconds`, so that hosts that start together do not call
 * together.
 */
export function spread(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2)
}

/**
 * Returns the wait before try number `tries` + 1: doubled each time, spread over its upper half, at most
 * `ceiling`.
 */
export function backoff(tries: number, floor: number, ceiling: number): number {
  const longest = Math.min(ceiling, floor * 2 ** Math.min(tries, 30))
  return longest * (0.5 + Math.random() / 2)
}
