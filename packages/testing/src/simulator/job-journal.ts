import type { MemoryTable } from '../memory-table.ts'
import type { MemoryJob } from '../work/jobs/memory-job.ts'
import type { JobChange, JobsBefore } from './statement.ts'

type Rows = Map<string, MemoryJob | undefined>

/** A record of writes to the queue, so that finding the changes does not read the whole queue. */
export class JobJournal {
  readonly #jobs: MemoryTable<MemoryJob>
  /** Rows written since the last look, as they were at that look. */
  #touched: Rows = new Map()
  /** Rows written in the open transaction, as they were at its start. */
  #inTransaction: Rows | undefined
  #writes = 0

  constructor(jobs: MemoryTable<MemoryJob>) {
    this.#jobs = jobs
    jobs.watch((id, before) => {
      this.#writes += 1
      keepFirst(this.#touched, id, before)
      if (this.#inTransaction !== undefined) keepFirst(this.#inTransaction, id, before)
    })
  }

  /** The number of writes so far. */
  get writes(): number {
    return this.#writes
  }

  /** Returns the changes since the last look. */
  look(): { readonly changes: readonly JobChange[]; readonly before: JobsBefore } {
    const touched = this.#touched
    if (touched.size > 0) this.#touched = new Map()
    return { changes: this.#changed(touched), before: new Before(this.#jobs, touched) }
  }

  begin(): void {
    this.#inTransaction = new Map()
  }

  keep(): void {
    this.#inTransaction = undefined
  }

  /**
   * Ends a transaction that was undone. Returns rows that nevertheless differ from the start of the
   * transaction.
   */
  undone(): readonly JobChange[] {
    const rows: Rows = this.#inTransaction ?? new Map()
    this.#inTransaction = undefined
    for (const id of rows.keys()) this.#touched.delete(id)
    return this.#changed(rows)
  }

  #changed(rows: Rows): JobChange[] {
    const changes: JobChange[] = []
    for (const [id, before] of rows) {
      const after = this.#jobs.get(id)
      if (after !== before) changes.push({ id, before, after })
    }
    return changes
  }
}

function keepFirst(rows: Rows, id: string, row: MemoryJob | undefined): void {
  if (!rows.has(id)) rows.set(id, row)
}

/** The queue as it was before the rows of `touched` were written. */
class Before implements JobsBefore {
  readonly #jobs: MemoryTable<MemoryJob>
  readonly #touched: Rows

  constructor(jobs: MemoryTable<MemoryJob>, touched: Rows) {
    this.#jobs = jobs
    this.#touched = touched
  }

  get(id: string): MemoryJob | undefined {
    return this.#touched.has(id) ? this.#touched.get(id) : this.#jobs.get(id)
  }

  *ofLicense(licenseId: string): Iterable<MemoryJob> {
    for (const row of this.#jobs.group(licenseId)) if (!this.#touched.has(row.job.id)) yield row
    for (const row of this.#touched.values()) if (row?.job.licenseId === licenseId) yield row
  }
}
