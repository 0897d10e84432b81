import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, at most until `signal` is aborted; never throws. Says whether the whole time has passed. */
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
 * A wait spread over 0.75 to 1.25 of `milliseconds`, so that a fleet started at once does not call at once.
 */
export function spread(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2)
}

/**
 * The wait before try number `tries` + 1: doubled each time, spread over its upper half, never above
 * `ceiling`.
 */
export function backoff(tries: number, floor: number, ceiling: number): number {
  const longest = Math.min(ceiling, floor * 2 ** Math.min(tries, 30))
  return longest * (0.5 + Math.random() / 2)
}
