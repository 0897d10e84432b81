import type { Job } from './job.ts'

/** How long a host owns a job after its last accepted write, in seconds (spec, Limits: 5 minutes). */
export const LEASE_SECONDS = 300
/**
 * A lease is renewed only when less than this share of it is left: about one row write a minute for each job.
 */
export const RENEW_BELOW = 0.8
/** How long an owner may stay silent after a cancel before the job is failed, in seconds. */
export const CANCEL_CONFIRM_SECONDS = 300
/** How long after the end of a job its last lines are still taken, in seconds. */
export const LATE_LOGS_SECONDS = 600

/** The end of a lease that is taken or renewed at `now`. */
export const leaseEnd = (now: Date, leaseSeconds: number): Date =>
  new Date(now.getTime() + leaseSeconds * 1000)

/** Whether a write at `now` should move the end of the lease. */
export const needsRenewal = (leaseEndsAt: Date, now: Date, leaseSeconds: number): boolean =>
  leaseEndsAt.getTime() - now.getTime() < leaseSeconds * 1000 * RENEW_BELOW

/**
 * Whether a held job whose lease has passed must not be handed out again: lost too often, or a cancel waits.
 */
export const isSpent = (job: Pick<Job, 'lost' | 'maxAttempts' | 'cancel'>): boolean =>
  job.lost + 1 >= job.maxAttempts || job.cancel !== undefined

/**
 * The error of a job that was lost with its host: `host` is the display id, `lost` the number of lost leases.
 */
export const lostError = (host: string, lost: number | string): string =>
  `lost: host ${host} went silent while it held the job; leases lost: ${lost}`
/** The error of a job whose host never confirmed a cancel. */
export const UNCONFIRMED_ERROR = 'cancelled; the host did not confirm that the work stopped'
/** The error of a job that was cancelled while it was pending. */
export const CANCELLED_ERROR = 'cancelled before a host took it'
/** The error of a pending job that a newer one took the place of. */
export const SUPERSEDED_ERROR = 'superseded'
/** The error of a job that its host gave back after a cancel. */
export const GIVEN_BACK_ERROR = 'cancelled; the host gave it back'
