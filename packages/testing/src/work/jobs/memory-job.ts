import type { Job } from '@svc/core'
import { byBytes } from '../../text-order.ts'

/** A job with the fields that only the queue knows. */
export interface MemoryJob {
  readonly job: Job
  /** The requested start of the job. */
  readonly dueAt: Date
  /**
   * Its place in the queue, in milliseconds: `-Infinity` at the front, `Infinity` while it waits for another
   * job.
   */
  readonly place: number
  readonly claimKey: string | undefined
}

/** Changes of a row besides the fields of its job. */
export interface Move {
  readonly place?: number
  readonly claimKey?: string | undefined
}

/** Returns `row` with `fields` changed, and with the changes of `move`. */
export function changed(row: MemoryJob, fields: Partial<Job>, move: Move = {}): MemoryJob {
  const next = { ...row, ...move }
  return { ...next, job: { ...row.job, ...fields, availableAt: availableAt(next) } }
}

/** Returns when a row is due, as jobs show it; undefined while it waits for another job. */
export function availableAt({ place, dueAt }: Pick<MemoryJob, 'place' | 'dueAt'>): Date | undefined {
  if (place === Number.POSITIVE_INFINITY) return undefined
  return place === Number.NEGATIVE_INFINITY ? dueAt : new Date(place)
}

/** Orders the queue: the job that has been due longest comes first, then the older id. */
export const byPlace = (one: MemoryJob, other: MemoryJob): number =>
  one.place === other.place ? byBytes(one.job.id, other.job.id) : one.place < other.place ? -1 : 1
