import type { Stores } from '@svc/core/ports'
import { atOnce, storesOver } from '../memory-storage.ts'
import { MemoryTables } from '../memory-tables.ts'
import { WebhookCheck } from './checks/webhooks.ts'
import { JobJournal } from './job-journal.ts'
import type { SimulationSeams } from './seams.ts'
import { SimulatedClock } from './simulated-clock.ts'
import type { JobChange, Statement } from './statement.ts'
import type { Timeline } from './timeline.ts'
import type { Verdict } from './verdict.ts'
import { type StoreCall, wrapStores } from './wrap-stores.ts'

/** Parts of the database of a run. */
export interface SimulatedDatabaseParts {
  readonly timeline: Timeline
  readonly verdict: Verdict
  readonly seams: SimulationSeams
  /** Called with every statement right after its effect. */
  readonly observe: (statement: Statement) => void
}

/**
 * The database that all replicas share: the fake stores, which run one statement after the other, each with
 * its effect at one instant.
 */
export class SimulatedDatabase {
  readonly tables = new MemoryTables()
  readonly clock: SimulatedClock
  /** The stores, observed. A call has its effect at once, so callers wait for `turn` first. */
  readonly stores: Stores
  /** The check of messages to endpoints. */
  readonly webhooks: WebhookCheck
  readonly #parts: SimulatedDatabaseParts
  readonly #waiting: (() => void)[] = []
  readonly #journal = new JobJournal(this.tables.jobs)
  #isLocked = false

  constructor(parts: SimulatedDatabaseParts) {
    const { timeline, seams } = parts
    this.#parts = parts
    this.webhooks = new WebhookCheck(parts.verdict)
    this.clock = new SimulatedClock(timeline)
    const own = storesOver(this.tables, atOnce, this.clock)
    const seam = { tables: this.tables, timeline, now: () => this.clock.now() }
    this.stores = wrapStores(seams.stores?.(own, seam) ?? own, (call) => this.#watch(call))
  }

  /** The number of writes to the queue so far. */
  get jobWrites(): number {
    return this.#journal.writes
  }

  /** Whether a transaction is open. */
  get isLocked(): boolean {
    return this.#isLocked
  }

  /** Resolves when no transaction is open. */
  async turn(): Promise<void> {
    while (this.#isLocked) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Runs `work` as one transaction: if it fails, its changes are undone. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.turn()
    this.#isLocked = true
    this.#journal.begin()
    this.tables.undo.begin()
    try {
      const result = await work()
      this.tables.undo.keep()
      this.#journal.keep()
      return result
    } catch (error) {
      this.tables.undo.undo()
      const left = this.#journal.undone()
      this.#parts.verdict.expect(left.length === 0, 'atomic transaction', () => describe(left))
      throw error
    } finally {
      this.#isLocked = false
      for (const resolve of this.#waiting.splice(0)) this.#parts.timeline.after(0, 'turn', resolve)
    }
  }

  async #watch(call: StoreCall): Promise<unknown> {
    const now = this.clock.now()
    const result = await call.run()
    const { tables } = this
    const { name, args } = call
    const { changes, before } = this.#journal.look()
    this.#parts.timeline.note(() => `  db ${name} ${brief(args[0])} -> ${brief(result)}`)
    const statement = { name, args, result, now, changes, before, tables }
    this.webhooks.see(statement)
    this.#parts.observe(statement)
    return result
  }
}

const describe = (changes: readonly JobChange[]): string =>
  `a transaction that failed left changes of ${changes.map(({ id }) => id).join(', ')}`

const MAX_BRIEF = 300

/** Returns a value as a trace shows it. */
function brief(value: unknown): string {
  const text =
    JSON.stringify(value, (key, each: unknown) => (SPARED.has(key) ? undefined : each)) ?? 'nothing'
  return text.length > MAX_BRIEF ? `${text.slice(0, MAX_BRIEF)}…` : text
}

const SPARED = new Set(['payload', 'createdAt', 'kind', 'timeoutSeconds', 'maxAttempts', 'urgent'])
