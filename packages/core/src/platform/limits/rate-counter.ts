import type { RateCount, RateLimit } from './rate-limits.ts'

/** A counter of rate windows: in this process, or in a table that replicas share. */
export interface RateCounter {
  /** The value of the label in `svc_rate_limit_backend_info`. */
  readonly backend: 'memory' | 'postgres'
  /**
   * Counts one request in the subject's window. Opens a new window when there is none or it has ended; one
   * that ends exactly at `now` has ended. Atomic: each of several concurrent requests gets a different count.
   * Without `now` the counter's own time is used, for a database its clock. A counter in memory answers
   * without a promise.
   */
  count(limit: RateLimit, subjectDigest: string, now?: Date): RateCount | Promise<RateCount>
}
