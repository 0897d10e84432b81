import type { Timers } from '../timers.ts'

/**
 * What `work` brings within `ms`, else `late`: its signal is aborted then, and whatever becomes of it is
 * nobody's affair any more. Rejects as `work` does. Leaves no timer behind.
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
  // Whoever is late fails unheard.
  done.catch(() => {})
  try {
    return await Promise.race([done, timeout()])
  } finally {
    finished.abort()
    over.abort()
  }
}
