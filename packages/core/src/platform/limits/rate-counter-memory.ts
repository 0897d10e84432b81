import type { Clock } from '../../kernel/clock.ts'
import type { RateCounter } from './rate-counter.ts'
import type { RateCount, RateLimit } from './rate-limits.ts'

/** A subject's window, linked to its neighbours in the order of opening. */
export interface RateWindow {
  readonly subject: string
  readonly startedAtMs: number
  readonly endsAtMs: number
  count: number
  older: RateWindow | undefined
  newer: RateWindow | undefined
}

/**
 * The windows of one limit, found by subject and kept in the order of opening. That order is a linked list
 * and not the map's, because finding the first entry of a `Map` walks over all entries deleted before it:
 * measured 90 µs a request in a flood of new subjects.
 */
export class RateWindows {
  readonly #bySubject = new Map<string, RateWindow>()
  #oldest: RateWindow | undefined
  #newest: RateWindow | undefined

  get size(): number {
    return this.#bySubject.size
  }

  /** The window that opened first. */
  get oldest(): RateWindow | undefined {
    return this.#oldest
  }

  find(subject: string): RateWindow | undefined {
    return this.#bySubject.get(subject)
  }

  /** Opens a window with no request in it. The subject must have none. */
  open(subject: string, startedAtMs: number, endsAtMs: number): RateWindow {
    const window = { subject, startedAtMs, endsAtMs, count: 0, older: this.#newest, newer: undefined }
    if (this.#newest) this.#newest.newer = window
    else this.#oldest = window
    this.#newest = window
    this.#bySubject.set(subject, window)
    return window
  }

  remove(window: RateWindow): void {
    const { older, newer } = window
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
    this.#bySubject.delete(window.subject)
  }
}

/** Most windows kept, over all limits together: 19 MB of heap, measured. */
export const MAX_WINDOWS = 100_000

/**
 * Ended windows removed for each one that opens: more than one, so that a large number shrinks, and few, so
 * that no request waits.
 */
const SWEPT_PER_OPENING = 4

/**
 * A rate counter in the memory of this process: not shared between replicas, empty after a restart (spec,
 * Limits). At `MAX_WINDOWS` the oldest window of the limit with the most windows is dropped. A flood of
 * subjects on one route thus drops that route's windows first and cannot reset those of another.
 */
export class MemoryRateCounter implements RateCounter {
  readonly backend = 'memory'
  readonly #clock: Clock
  readonly #windowsByLimit = new Map<string, RateWindows>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of windows in memory, including ended ones that are not yet swept. */
  get size(): number {
    let size = 0
    for (const windows of this.#windowsByLimit.values()) size += windows.size
    return size
  }

  count(limit: RateLimit, subjectDigest: string, now = this.#clock.now()): RateCount {
    const nowMs = now.getTime()
    const windows = this.#windowsOf(limit)
    const known = windows.find(subjectDigest)
    const window = known && isOpen(known, nowMs) ? known : this.#open(limit, subjectDigest, nowMs)
    window.count += 1
    return { count: window.count, windowLeftMs: window.endsAtMs - nowMs }
  }

  #windowsOf({ name }: RateLimit): RateWindows {
    const known = this.#windowsByLimit.get(name)
    if (known) return known
    const windows = new RateWindows()
    this.#windowsByLimit.set(name, windows)
    return windows
  }

  #open(limit: RateLimit, subjectDigest: string, nowMs: number): RateWindow {
    const windows = this.#windowsOf(limit)
    const ended = windows.find(subjectDigest)
    if (ended) windows.remove(ended)
    for (const each of this.#windowsByLimit.values()) sweep(each, nowMs)
    if (this.size >= MAX_WINDOWS) this.#dropOldest()
    return windows.open(subjectDigest, nowMs, nowMs + limit.windowSeconds * 1000)
  }

  #dropOldest(): void {
    let crowded: RateWindows | undefined
    for (const windows of this.#windowsByLimit.values()) {
      if (!crowded || windows.size > crowded.size) crowded = windows
    }
    if (crowded?.oldest) crowded.remove(crowded.oldest)
  }
}

/**
 * A window that starts in the future is over too: the machine's clock was set back, and no subject should
 * wait for it.
 */
function isOpen(window: RateWindow, nowMs: number): boolean {
  return window.startedAtMs <= nowMs && nowMs < window.endsAtMs
}

function sweep(windows: RateWindows, nowMs: number): void {
  for (let swept = 0; swept < SWEPT_PER_OPENING; swept += 1) {
    const { oldest } = windows
    if (!oldest || isOpen(oldest, nowMs)) return
    windows.remove(oldest)
  }
}
