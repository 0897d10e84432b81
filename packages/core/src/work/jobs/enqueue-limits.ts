import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { RateLimits } from '../../platform/limits/rate-limits.ts'
import type { JobsStore } from './jobs-store.ts'

/** How many jobs a license may be given, and may have waiting. */
export interface JobLimits {
  readonly perMinute: number
  readonly mostPending: number
}

/** The parts that `EnqueueLimits` is built from. */
export interface EnqueueLimitsParts extends JobLimits {
  readonly limits: Pick<RateLimits, 'takeByLicense'>
  readonly jobs: Pick<JobsStore, 'pending'>
}

/** When a license whose jobs all wait may try again, in seconds. */
const RETRY_SECONDS = 60

/**
 * Bounds of a license's jobs in the queue, so that it fills neither the database nor the time of others. Jobs
 * that wait are counted when the room that was found last is used up, and not for each job, since jobs that
 * end only make room. Each of several replicas knows its own room, so that together they may pass the limit
 * by the free room.
 */
export class EnqueueLimits {
  readonly #parts: EnqueueLimitsParts
  readonly #room = new RecentMap<number>()

  constructor(parts: EnqueueLimitsParts) {
    this.#parts = parts
  }

  /** Counts one job more for a license. @throws Problem `rate-limited` */
  async take(licenseId: string): Promise<void> {
    const { limits, jobs, perMinute: limit, mostPending } = this.#parts
    const verdict = await limits.takeByLicense({ name: 'jobs-enqueue', limit, windowSeconds: 60 }, licenseId)
    const { retryAfterSeconds } = verdict
    if (!verdict.allowed) {
      const detail = `a license gets ${limit} jobs a minute (SERVICE_JOBS_PER_MINUTE)`
      throw new Problem('rate-limited', { detail, retryAfterSeconds })
    }
    let room = this.#room.get(licenseId) ?? 0
    if (room < 1) room = mostPending - (await jobs.pending(licenseId, mostPending))
    this.#room.set(licenseId, room - 1)
    if (room >= 1) return
    throw new Problem('rate-limited', {
      detail: `${mostPending} jobs of this license wait, and no more may (SERVICE_JOBS_PENDING): see svc jobs list --state pending, and svc jobs why`,
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
}
