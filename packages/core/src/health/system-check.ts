import type { Clock } from '../clock.ts'
import type { Timers } from '../timers.ts'
import { RELEASE } from '../version.ts'
import { inTime } from './in-time.ts'
import type { SystemDetail } from './system-detail.ts'

/** How a check went: `warn` needs a look, `fail` needs a hand, `skipped` has nothing to look at. */
export const SYSTEM_STATUSES = ['ok', 'warn', 'fail', 'skipped'] as const
export type SystemStatus = (typeof SYSTEM_STATUSES)[number]

/** What a check found. */
export interface Finding {
  readonly status: SystemStatus
  /** Why, as one of a fixed set of words: never an address, a key or the text of an error. */
  readonly detail?: SystemDetail
}

/** Something that can be looked at. */
export interface NamedCheck {
  readonly name: string
  /** It asks something outside of this process, so that the time it takes is worth telling. */
  readonly asks?: true
  /** Looks once; a failure counts as `fail`. `signal` says that nobody waits any more. */
  run(signal: AbortSignal): Finding | Promise<Finding>
}

/** One line of the report. */
export interface SystemCheckLine extends Finding {
  readonly name: string
  readonly latency_ms?: number
}

/** What the system check answers (wire-app §5). */
export interface SystemReport {
  /** Whether no check fails. */
  readonly ok: boolean
  /** Unix seconds. */
  readonly checked_at: number
  readonly duration_ms: number
  readonly version: string
  readonly checks: readonly SystemCheckLine[]
}

/** What `SystemCheck` is built from. */
export interface SystemCheckParts {
  readonly clock: Clock
  readonly timers: Timers
  readonly checks: readonly NamedCheck[]
}

/** A check may take this long. */
export const CHECK_MS = 3000
/** All of them together may take this long. */
export const ALL_CHECKS_MS = 5000

const TIMEOUT: Finding = { status: 'fail', detail: 'timeout' }

/** Looks at everything the service stands on, all at once. Nothing is kept: who asks gets a fresh look. */
export class SystemCheck {
  readonly #parts: SystemCheckParts
  #running: Promise<SystemReport> | undefined

  constructor(parts: SystemCheckParts) {
    this.#parts = parts
  }

  /**
   * Runs every check; never throws. Those who ask while it runs share its report, so that looks never add up
   * to load.
   */
  run(): Promise<SystemReport> {
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #look(): Promise<SystemReport> {
    const { clock, timers, checks } = this.#parts
    const start = timers.elapsedMs()
    const lines = await Promise.all(checks.map((check) => this.#line(check, start + ALL_CHECKS_MS)))
    return {
      ok: lines.every(({ status }) => status !== 'fail'),
      checked_at: Math.floor(clock.now().getTime() / 1000),
      duration_ms: Math.round(timers.elapsedMs() - start),
      version: RELEASE,
      checks: lines,
    }
  }

  async #line({ name, asks, run }: NamedCheck, endMs: number): Promise<SystemCheckLine> {
    const { timers } = this.#parts
    const start = timers.elapsedMs()
    const ms = Math.max(0, Math.min(CHECK_MS, endMs - start))
    const { status, detail } = await inTime(timers, ms, run, TIMEOUT).catch(
      (): Finding => ({ status: 'fail', detail: 'error' }),
    )
    const tellsTime = asks === true && status !== 'skipped'
    return {
      name,
      status,
      ...(tellsTime ? { latency_ms: Math.round(timers.elapsedMs() - start) } : {}),
      ...(detail === undefined ? {} : { detail }),
    }
  }
}
