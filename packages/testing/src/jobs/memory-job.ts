import type { Job } from '@svc/core'
import { byBytes } from '../text-order.ts'

/** A job with what only the queue knows of it. */
export interface MemoryJob {
  readonly job: Job
  /** When it was to start. */
  readonly dueAt: Date
  /**
   * Its place in the queue in milliseconds: `-Infinity` ahead of all that wait, `Infinity` while it waits for
   * another.
   */
  readonly place: number
  readonly claimKey: string | undefined
}

/** What may change of a row besides the job's own fields. */
export interface Move {
  readonly place?: number
  readonly claimKey?: string | undefined
}

/** `row` with other fields and, if it moves, in another place. */
export function changed(row: MemoryJob, fields: Partial<Job>, move: Move = {}): MemoryJob {
  const next = { ...row, ...move }
  return { ...next, job: { ...row.job, ...fields, availableAt: availableAt(next) } }
}

/** When a row is due, as a job shows it. */
export function availableAt({ place, dueAt }: Pick<MemoryJob, 'place' | 'dueAt'>): Date | undefined {
  if (place === Number.POSITIVE_INFINITY) return undefined
  return place === Number.NEGATIVE_INFINITY ? dueAt : new Date(place)
}

/** Orders the queue: due longest first, then the older id. */
export const byPlace = (one: MemoryJob, other: MemoryJob): number =>
  one.place === other.place ? byBytes(one.job.id, other.job.id) : one.place < other.place ? -1 : 1
