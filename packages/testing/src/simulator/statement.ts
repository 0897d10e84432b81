import type { MemoryJob } from '../jobs/memory-job.ts'
import type { MemoryTables } from '../memory-tables.ts'

/** A row of the queue before and after a statement. */
export interface JobChange {
  readonly id: string
  readonly before: MemoryJob | undefined
  readonly after: MemoryJob | undefined
}

/** One statement that had its effect, as checks see it. */
export interface Statement {
  /** `<store>.<method>`, for example `jobs.lease`. */
  readonly name: string
  readonly args: readonly unknown[]
  readonly result: unknown
  /** The database's clock at the effect. */
  readonly now: Date
  /** The jobs that it changed. */
  readonly changes: readonly JobChange[]
  /** The jobs before it. */
  readonly before: ReadonlyMap<string, MemoryJob>
  readonly tables: MemoryTables
}
