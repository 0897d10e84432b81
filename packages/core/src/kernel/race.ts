import type { Timers } from './timers.ts'

/**
 * Returns the outcome of `work` or of `rival`, whichever settles first. The signal of `rival` is aborted when
 * the race is over, so that its timers and listeners end. The failure of the loser is ignored.
 */
export async function race<T, R>(work: Promise<T>, rival: (over: AbortSignal) => Promise<R>): Promise<T | R> {
  const over = new AbortController()
  const other = rival(over.signal)
  for (const racer of [work, other]) racer.catch(() => {})
  try {
    return await Promise.race([work, other])
  } finally {
    over.abort()
  }
}

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
  const ended = new AbortController()
  try {
    return await race((async () => work(ended.signal))(), async (over) => {
      await timers.pause(ms, over)
      return late
    })
  } finally {
    ended.abort()
  }
}
