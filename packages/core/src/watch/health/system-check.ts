import { present } from '../../kernel/present.ts'
import { inTime } from '../../kernel/race.ts'
import { RELEASE } from '../../package-files.ts'
import type { Base } from '../../platform/base.ts'
import type { SystemDetail } from './system-detail.ts'

/** Results of a check. `warn`: worth a look · `fail`: needs action · `skipped`: nothing to check. */
export const SYSTEM_STATUSES = ['ok', 'warn', 'fail', 'skipped'] as const
export type SystemStatus = (typeof SYSTEM_STATUSES)[number]

/** Finding of a check. */
export interface Finding {
  readonly status: SystemStatus
  /** Reason from a fixed set of words: never an address, a key or the text of an error. */
  readonly detail?: SystemDetail
}

/** A check with its name. */
export interface NamedCheck {
  readonly name: string
  /** Whether the check queries something outside this process, so that its latency is reported. */
  readonly asks?: true
  /** Whether it queries services of others: the tick leaves it out, so that nothing is asked unasked. */
  readonly isFar?: true
  /** Runs the check; an error counts as `fail`. `signal` aborts when nobody waits for the result any more. */
  run(signal: AbortSignal): Finding | Promise<Finding>
}

/** One line of the report. */
export interface SystemCheckLine extends Finding {
  readonly name: string
  readonly latency_ms?: number
}

/** Report of the system check (docs/health.md). */
export interface SystemReport {
  /** Whether no check fails. */
  readonly ok: boolean
  /** Unix seconds. */
  readonly checked_at: number
  readonly duration_ms: number
  readonly version: string
  readonly checks: readonly SystemCheckLine[]
}

/** Dependencies of `SystemCheck`. */
export interface SystemCheckParts extends Pick<Base, 'clock' | 'timers'> {
  readonly checks: readonly NamedCheck[]
}

/** Timeout of one check. */
export const CHECK_MS = 3000
/** Timeout of all checks together. */
export const ALL_CHECKS_MS = 5000
/** Age at which the tick makes a new report, in seconds. Each process has its own, as it has its settings. */
export const FRESH_SECONDS = 300

const TIMEOUT: Finding = { status: 'fail', detail: 'timeout' }

/** Runs all checks in parallel. `run` looks anew; `last` is what was found. */
export class SystemCheck {
  readonly #parts: SystemCheckParts
  #last: SystemReport | undefined
  #running: Promise<SystemReport> | undefined

  constructor(parts: SystemCheckParts) {
    this.#parts = parts
  }

  /**
   * Runs every check; never throws. Concurrent callers share one report, so that checks never add up to load.
   */
  run(): Promise<SystemReport> {
    this.#running ??= this.#look(this.#parts.checks).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The last report of this process, whoever asked for it. */
  get last(): SystemReport | undefined {
    return this.#last
  }

  /** Makes a report, without services of others, unless the last one is fresh. */
  async refresh(): Promise<void> {
    const now = Math.floor(this.#parts.clock.now().getTime() / 1000)
    const age = this.#last === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - this.#last.checked_at)
    if (age >= FRESH_SECONDS) await this.#look(this.#parts.checks.filter(({ isFar }) => !isFar))
  }

  async #look(checks: readonly NamedCheck[]): Promise<SystemReport> {
    const { clock, timers } = this.#parts
    const start = timers.elapsedMs()
    const lines = await Promise.all(checks.map((check) => this.#line(check, start + ALL_CHECKS_MS)))
    this.#last = {
      ok: lines.every(({ status }) => status !== 'fail'),
      checked_at: Math.floor(clock.now().getTime() / 1000),
      duration_ms: Math.round(timers.elapsedMs() - start),
      version: RELEASE,
      checks: lines,
    }
    return this.#last
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
      ...present('detail', detail),
    }
  }
}
