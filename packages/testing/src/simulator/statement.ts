import type { MemoryTables } from '../memory-tables.ts'
import type { MemoryJob } from '../work/jobs/memory-job.ts'

/** A row of the queue before and after a statement. */
export interface JobChange {
  readonly id: string
  readonly before: MemoryJob | undefined
  readonly after: MemoryJob | undefined
}

/** The queue as it was before a statement. */
export interface JobsBefore {
  get(id: string): MemoryJob | undefined
  /** The unfinished jobs of a license, and the finished ones that the statement touched. */
  ofLicense(licenseId: string): Iterable<MemoryJob>
}

/** A statement that has had its effect, as checks see it. */
export interface Statement {
  /** `<store>.<method>`, for example `jobs.lease`. */
  readonly name: string
  readonly args: readonly unknown[]
  readonly result: unknown
  /** The database's clock at the effect. */
  readonly now: Date
  /** The jobs that the statement changed. */
  readonly changes: readonly JobChange[]
  /** The jobs as they were before the statement. */
  readonly before: JobsBefore
  readonly tables: MemoryTables
}
