import { setTimeout as wait } from 'node:timers/promises'

/** Waiting, as services do it: tests put a clock of their own in its place and wait for nothing. */
export interface Timers {
  /** Milliseconds on a clock that never goes back: for durations only. */
  elapsedMs(): number
  /** Resolves after so many milliseconds, or as soon as `signal` is aborted. Never rejects. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

/** The machine's own. */
export const systemTimers: Timers = {
  elapsedMs: () => performance.now(),
  pause: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {}),
}
