import type { Stores } from '@svc/core'
import type { MemoryJob } from '../jobs/memory-job.ts'
import { atOnce, storesOver } from '../memory-storage.ts'
import { MemoryTables } from '../memory-tables.ts'
import type { SimulationSeams } from './seams.ts'
import { SimulatedClock } from './simulated-clock.ts'
import type { JobChange, Statement } from './statement.ts'
import type { Timeline } from './timeline.ts'
import type { Verdict } from './verdict.ts'
import { type StoreCall, wrapStores } from './wrap-stores.ts'

/** What a database of a run is made of. */
export interface SimulatedDatabaseParts {
  readonly timeline: Timeline
  readonly verdict: Verdict
  readonly seams: SimulationSeams
  /** Hears every statement right after its effect. */
  readonly observe: (statement: Statement) => void
}

/** The one database of all replicas: the fake stores, statement after statement, each with its effect at one instant. */
export class SimulatedDatabase {
  readonly tables = new MemoryTables()
  readonly clock: SimulatedClock
  /** The stores, watched. A call has its effect at once; who calls waits for the turn first. */
  readonly stores: Stores
  readonly #parts: SimulatedDatabaseParts
  readonly #waiting: (() => void)[] = []
  #jobs = new Map<string, MemoryJob>()
  #isLocked = false

  constructor(parts: SimulatedDatabaseParts) {
    const { timeline, seams } = parts
    this.#parts = parts
    this.clock = new SimulatedClock(timeline)
    const own = storesOver(this.tables, atOnce, this.clock)
    const seam = { tables: this.tables, timeline, now: () => this.clock.now() }
    this.stores = wrapStores(seams.stores?.(own, seam) ?? own, (call) => this.#watch(call))
  }

  /** Resolves when no transaction is open. */
  async turn(): Promise<void> {
    while (this.#isLocked) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Runs `work` as one transaction: a failure of it leaves nothing. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.turn()
    this.#isLocked = true
    const jobs = new Map(this.#jobs)
    this.tables.undo.begin()
    try {
      const result = await work()
      this.tables.undo.keep()
      return result
    } catch (error) {
      this.tables.undo.undo()
      this.#jobs = jobs
      const left = this.#changes()
      this.#parts.verdict.expect(left.length === 0, 'atomic transaction', () => describe(left))
      throw error
    } finally {
      this.#isLocked = false
      for (const resolve of this.#waiting.splice(0)) this.#parts.timeline.after(0, 'turn', resolve)
    }
  }

  async #watch({ name, args, run }: StoreCall): Promise<unknown> {
    const now = this.clock.now()
    const result = await run()
    const { tables } = this
    const before = this.#jobs
    const changes = name.startsWith('jobs.') ? this.#changes() : []
    this.#parts.timeline.note(() => `  db ${name} ${brief(args[0])} -> ${brief(result)}`)
    this.#parts.observe({ name, args, result, now, changes, before, tables })
    return result
  }

  /** What changed in the queue since the last look; from here on `#jobs` is what it is now. */
  #changes(): JobChange[] {
    const before = this.#jobs
    const rows = this.tables.jobs.all()
    const changes: JobChange[] = []
    for (const row of rows) {
      const { id } = row.job
      const old = before.get(id)
      if (old !== row) changes.push({ id, before: old, after: row })
    }
    if (rows.length < before.size) {
      for (const [id, old] of before) {
        if (this.tables.jobs.get(id) === undefined) changes.push({ id, before: old, after: undefined })
      }
    }
    if (changes.length > 0) this.#jobs = new Map(rows.map((row) => [row.job.id, row]))
    return changes
  }
}

const describe = (changes: readonly JobChange[]): string =>
  `a transaction that failed left changes of ${changes.map(({ id }) => id).join(', ')}`

const MAX_BRIEF = 300

/** A value as a trace shows it. */
function brief(value: unknown): string {
  const text =
    JSON.stringify(value, (key, each: unknown) => (SPARED.has(key) ? undefined : each)) ?? 'nothing'
  return text.length > MAX_BRIEF ? `${text.slice(0, MAX_BRIEF)}…` : text
}

const SPARED = new Set(['payload', 'createdAt', 'kind', 'timeoutSeconds', 'maxAttempts', 'urgent'])
