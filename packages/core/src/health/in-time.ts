import type { Timers } from '../timers.ts'

/**
 * Returns the result of `work`, or `late` after `ms`: then the signal of `work` is aborted and its outcome
 * ignored. Rejects if `work` does. Leaves no timer behind.
 */
export async function inTime<T, L>(
  timers: Timers,
  ms: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  late: L,
): Promise<T | L> {
  const [over, finished] = [new AbortController(), new AbortController()]
  const timeout = async () => {
    await timers.pause(ms, finished.signal)
    return late
  }
  const done = (async () => work(over.signal))()
  // A failure after the timeout is ignored.
  done.catch(() => {})
  try {
    return await Promise.race([done, timeout()])
  } finally {
    finished.abort()
    over.abort()
  }
}
