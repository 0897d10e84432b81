import type { RateCount, RateLimit } from './rate-limit.ts'

/** Where windows are counted: in this process, or in a table that replicas share. */
export interface RateCounter {
  /** The label of `svc_rate_limit_backend_info`. */
  readonly backend: 'memory' | 'postgres'
  /**
   * Counts one request in the subject's window and opens a new one when there is none or it has ended (an end
   * that is exactly `now` has passed). One atomic intention: concurrent requests each see another count.
   * Without `now` the counter's own time holds, which in a database is the database's. Who counts in memory
   * says so at once.
   */
  count(limit: RateLimit, subjectDigest: string, now?: Date): RateCount | Promise<RateCount>
}
