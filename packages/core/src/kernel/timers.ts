import { setTimeout as wait } from 'node:timers/promises'

/** Waits and durations of services. Tests pass a fake and do not wait. */
export interface Timers {
  /** Returns milliseconds on a clock that never goes back, for durations only. */
  elapsedMs(): number
  /** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
  pause(ms: number, signal?: AbortSignal): Promise<void>
}

/** The machine's timers. */
export const systemTimers: Timers = {
  elapsedMs: () => performance.now(),
  pause: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {}),
}
