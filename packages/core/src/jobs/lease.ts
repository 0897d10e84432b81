import type { Job } from './job.ts'

/** How long a host owns a job after its last accepted write, in seconds (spec, Limits: 5 minutes). */
export const LEASE_SECONDS = 300
/**
 * A lease is written anew only when less than this share of it is left: about one row write a minute and job.
 */
export const RENEW_BELOW = 0.8
/** How long an owner may stay silent after a cancel before the job is failed, in seconds. */
export const CANCEL_CONFIRM_SECONDS = 300
/** How long after the end of a job its last lines are still taken, in seconds. */
export const LATE_LOGS_SECONDS = 600

/** Instant at which a lease taken or renewed at `now` ends. */
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

/** Why a job failed without its host saying so: the host's display id, and the number of lost leases. */
export const lostError = (host: string, lost: number | string): string =>
  `lost: host ${host} went silent while it held the job; leases lost: ${lost}`
/** Why a job failed whose host never confirmed a cancel. */
export const UNCONFIRMED_ERROR = 'cancelled; the host did not confirm that the work stopped'
/** Why a pending job failed that somebody cancelled. */
export const CANCELLED_ERROR = 'cancelled before a host took it'
/** Why a job failed that its host gave back after a cancel. */
export const GIVEN_BACK_ERROR = 'cancelled; the host gave it back'
