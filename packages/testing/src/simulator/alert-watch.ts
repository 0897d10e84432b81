import type { ControlPlane } from '@svc/core'
import { AlertConditionCheck, SETTLED_TICKS } from './checks/alert-conditions.ts'
import { checkDeliveries } from './checks/alert-deliveries.ts'
import type { AlertFactsBook } from './checks/alert-facts.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Fault } from './fault.ts'
import { ALERTS_URL, TICK_MS } from './plane-config.ts'
import type { Timeline } from './timeline.ts'
import type { Verdict } from './verdict.ts'
import { addEndpoints } from './workload.ts'

/** Parts that a watch over alerts needs. */
export interface AlertWatchParts {
  readonly timeline: Timeline
  readonly verdict: Verdict
  readonly database: SimulatedDatabase
  /** When faults stop. */
  readonly endMs: number
  /** The history that alert rules look back on, as seen in statements. */
  readonly book: AlertFactsBook
  readonly faults: readonly Fault[]
}

/** Faults that may lose the count of a refused request. */
const LOSE_COUNTS: readonly Fault[] = ['replica-crash', 'database-failure']

/** Within this time, work under way when faults stopped has ended, and so have the evaluations of a tick. */
const CALM_MS = 10_000

/**
 * After faults have stopped, records at each tick which conditions hold, and compares them with the alerts at
 * the end of the run.
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

  /** Sets a webhook for alerts and endpoints of licenses, and plans the checks of the ticks. */
  async start(plane: ControlPlane | undefined, licenses: readonly { readonly id: string }[]): Promise<void> {
    if (plane !== undefined) await addEndpoints(plane, licenses)
    await plane?.alertWebhooks.set({ tenantId: '', url: ALERTS_URL, rotate: false })
    this.#plan(this.#firstTickMs)
  }

  /** Whether enough ticks were checked, and the evaluations of the last tick are over. */
  get isSettled(): boolean {
    const { nowMs } = this.#parts.timeline
    const enoughMs = this.#firstTickMs + (SETTLED_TICKS - 1) * TICK_MS + CALM_MS
    return nowMs >= enoughMs && nowMs % TICK_MS >= CALM_MS
  }

  /** Checks the alerts at the end of a run. */
  end(): void {
    const { database, verdict, book, faults } = this.#parts
    this.#conditions.end(database.tables, database.clock.now())
    if (!LOSE_COUNTS.some((fault) => faults.includes(fault))) book.end()
    database.webhooks.end(database.tables, database.clock.now())
    checkDeliveries(database.tables, database.clock.now(), verdict)
  }

  #plan(atMs: number): void {
    const { timeline, database } = this.#parts
    timeline.after(atMs - timeline.nowMs, 'look at alerts', () => {
      this.#conditions.tick(database.tables, database.clock.now())
      this.#plan(atMs + TICK_MS)
    })
  }
}
