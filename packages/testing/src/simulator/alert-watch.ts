import type { ControlPlane } from '@svc/core'
import { AlertConditionCheck, SETTLED_TICKS } from './checks/alert-conditions.ts'
import { checkDeliveries } from './checks/alert-deliveries.ts'
import type { AlertFactsBook } from './checks/alert-facts.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Fault } from './fault.ts'
import { TICK_MS } from './plane-config.ts'
import type { Timeline } from './timeline.ts'
import type { Verdict } from './verdict.ts'

/** What is needed to look at alerts. */
export interface AlertWatchParts {
  readonly timeline: Timeline
  readonly verdict: Verdict
  readonly database: SimulatedDatabase
  /** When faults stop. */
  readonly endMs: number
  /** What statements told of what alerts look back on. */
  readonly book: AlertFactsBook
  readonly faults: readonly Fault[]
}

/** Faults after which a refused request may be counted nowhere. */
const LOSE_COUNTS: readonly Fault[] = ['replica-crash', 'database-failure']

/** What was under way when faults stopped ends within this, and so do the evaluations of a tick. */
const CALM_MS = 10_000
const RECEIVER_URL = 'https://receiver.example/alerts'

/**
 * Looks at what is wrong as each tick begins, once faults have stopped, and at the alerts when the run has
 * ended.
 */
export class AlertWatch {
  readonly #parts: AlertWatchParts
  readonly #conditions: AlertConditionCheck
  readonly #firstTickMs: number

  constructor(parts: AlertWatchParts) {
    this.#parts = parts
    this.#conditions = new AlertConditionCheck(parts.verdict, parts.book)
    this.#firstTickMs = TICK_MS * Math.ceil((parts.endMs + CALM_MS) / TICK_MS)
  }

  /** Gives alerts somewhere to go, and plans the looks. */
  async start(plane: ControlPlane | undefined): Promise<void> {
    await plane?.alertWebhooks.set({ tenantId: '', url: RECEIVER_URL, rotate: false })
    this.#plan(this.#firstTickMs)
  }

  /** Whether enough ticks were looked at, and the evaluations of the last are over. */
  get isSettled(): boolean {
    const { nowMs } = this.#parts.timeline
    const enoughMs = this.#firstTickMs + (SETTLED_TICKS - 1) * TICK_MS + CALM_MS
    return nowMs >= enoughMs && nowMs % TICK_MS >= CALM_MS
  }

  /** At the end of a run. */
  end(): void {
    const { database, verdict, book, faults } = this.#parts
    this.#conditions.end(database.tables, database.clock.now())
    if (!LOSE_COUNTS.some((fault) => faults.includes(fault))) book.end()
    checkDeliveries(database.tables.alerting, database.clock.now(), verdict)
  }

  #plan(atMs: number): void {
    const { timeline, database } = this.#parts
    timeline.after(atMs - timeline.nowMs, 'look at alerts', () => {
      this.#conditions.tick(database.tables, database.clock.now())
      this.#plan(atMs + TICK_MS)
    })
  }
}
