import type { Scope } from '../../kernel/scope.ts'
import type { LicenseClaim } from '../../people/licenses/license.ts'
import type { Job, JobKind, JobState, Successor, UnfinishedState } from './job.ts'
import type { LogLine, StoredLine } from './job-log.ts'
import type { ReportEffect } from './job-report.ts'

/** A job to be stored. `runAt` absent means due at once. */
export interface NewJob {
  readonly id: string
  readonly licenseId: string
  readonly kind: JobKind
  readonly payload: Readonly<Record<string, unknown>>
  readonly sealedEnv: string | undefined
  readonly target: string
  readonly urgent: boolean
  readonly app: string | undefined
  readonly serialKey: string | undefined
  readonly dedupeKey: string | undefined
  readonly deploymentId: string | undefined
  readonly successors: readonly Successor[] | undefined
  readonly retryOf: string | undefined
  readonly runAt: Date | undefined
  readonly maxAttempts: number
  readonly timeoutSeconds: number
}

/** A host that asks for work. */
export interface LeaseRequest extends LicenseClaim {
  readonly fingerprint: string
  readonly leaseSeconds: number
  /** A repeated key gets the same job while it is still claimed under it. */
  readonly claimKey: string | undefined
  /** Kinds of jobs that the host runs, in the order of `JOB_KINDS`; absent: all. */
  readonly kinds?: readonly JobKind[] | undefined
}

/** The answer to a host that asks for work. */
export interface LeaseAnswer {
  readonly job: Job | undefined
  /** `new` from the queue, `reclaimed` from a lost lease, `repeated` under the same claim key. */
  readonly how: 'new' | 'reclaimed' | 'repeated' | undefined
  /** Jobs this host holds that it should stop. */
  readonly cancel: readonly string[]
  /** The host is drained: it gets nothing new. */
  readonly drained: boolean
  /** Jobs that ended here because their lease was lost once too often or a cancel waited. */
  readonly ended: readonly Job[]
}

/** The writer to a job. A write by anyone but the current holder changes nothing. */
export interface Owner {
  readonly jobId: string
  readonly licenseId: string
  readonly fingerprint: string
  /** When present it must be the current attempt. */
  readonly attempt: number | undefined
}

/** A host's report on its job. `exitCode` and `error` count with a terminal state only. */
export interface StatusWrite extends Owner {
  readonly state: JobState
  readonly exitCode: number | undefined
  readonly error: string | undefined
  readonly leaseSeconds: number
}

/** The part of a job that a reporter needs: a whole row costs as much to read as to write. */
export type ReportedJob = Pick<Job, 'id' | 'kind' | 'state' | 'claimedAt' | 'finishedAt' | 'cancel'>

/** The result of a status write. */
export interface StatusOutcome {
  readonly effect: ReportEffect
  readonly job: ReportedJob
}

/** Lines of a job's output. Without a fingerprint the license alone is the owner (spec, Job logs). */
export interface LogWrite extends Omit<Owner, 'fingerprint'> {
  readonly fingerprint: string | undefined
  readonly lines: readonly LogLine[]
  readonly offset: number | undefined
  /** A repeated key stores nothing and gets the first answer. */
  readonly idempotencyKey: string | undefined
  readonly leaseSeconds: number
}

/** The result of a log write. */
export interface LogOutcome {
  readonly accepted: number
  /** Lines that this very request stored. */
  readonly stored: number
  readonly next: number
  /** The part of the job that its writer is told; most requests carry one line, so that more would cost. */
  readonly job: Pick<Job, 'state' | 'cancel'>
}

/** A request to stop a job. */
export interface CancelWrite {
  readonly jobId: string
  /** When present, the host must hold the job or be one that may claim it. */
  readonly fingerprint: string | undefined
  readonly reason: string
}

/** The result of a cancel: the job ended at once, its owner was asked to stop, or it had finished before. */
export interface CancelOutcome {
  readonly effect: 'ended' | 'requested' | 'none'
  readonly job: Job
}

/** Pending jobs of a license that something newer takes the place of. */
export interface SupersedeWrite {
  readonly licenseId: string
  readonly jobIds: readonly string[]
  /** The error and the reason of the jobs that end. */
  readonly reason: string
}

/** A filter of jobs to list, newest first. */
export interface JobFilter {
  readonly state?: JobState
  readonly kind?: JobKind
  /** Full fingerprint: jobs aimed at the host or held by it. */
  readonly host?: string
  readonly app?: string
  /** Jobs that were enqueued then or later, by the time in their ids. */
  readonly since?: Date
  /** Jobs that are older than the one with this id. */
  readonly before?: string
  /** The job with this id and newer ones. */
  readonly from?: string
  /** Jobs whose ids end like this. */
  readonly idEnd?: string
  readonly limit: number
}

/** The jobs that a page of a list looks through. */
export interface LookFilter extends Pick<JobFilter, 'since' | 'before'> {
  /** Whether jobs that did not fail are left out. */
  readonly failed?: boolean
}

/** A job in a list. */
export type ListedJob = Omit<Job, 'payload' | 'sealedEnv' | 'successors'>

/** The result of a sweep. */
export interface SweepResult {
  /** Jobs asked to stop because they ran longer than their timeout. */
  readonly timedOut: readonly Job[]
  /** Jobs failed: lease lost once too often, or a cancel that nobody confirmed. */
  readonly ended: readonly Job[]
}

/** A queue of a license that hosts wait at. */
export interface WaitedQueue {
  readonly licenseId: string
  /** Full fingerprint of a host; empty: the queue that all hosts of the license share. */
  readonly target: string
  /** Kinds of jobs that those who wait run; undefined: all. */
  readonly kinds: readonly JobKind[] | undefined
  /** How many of its jobs are asked for. */
  readonly most: number
}

/** A job that a host may take now or soon. */
export interface UpcomingJob extends Pick<Job, 'licenseId' | 'target' | 'kind'> {
  /** Milliseconds until it may be taken; 0 when it may be now. */
  readonly inMs: number
}

/** The stored lines of one attempt. */
export interface AttemptLines {
  readonly attempt: number
  readonly lines: number
}

/**
 * Numbers of unfinished jobs by state, the longest wait of a due job in seconds, and the number of jobs
 * without a host.
 */
export interface JobCounts {
  readonly byState: Readonly<Record<UnfinishedState, number>>
  readonly oldestClaimableSeconds: number
  /** Jobs whose host has let its lease pass and that nobody has taken over. */
  readonly expiredLeases: number
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly jobs: JobsStore
  }
}

/**
 * The queue. Every method is one atomic intention whose conditions stand in the statement that writes. `now`
 * is given by tests only; without it the database's clock counts.
 */
export interface JobsStore {
  /**
   * Stores a job. When an unfinished job of the license has the same dedupe key, that one is returned and
   * nothing is stored. A job whose serial key is taken by an unfinished job waits until that one ends.
   */
  enqueue(job: NewJob, now?: Date): Promise<{ job: Job; created: boolean }>
  /**
   * Hands out the due job of the license that has been due longest, aimed at this host or at none, and of a
   * kind that the host runs.
   * @throws Problem `unauthorized` when the license is to be checked and is not usable
   */
  lease(request: LeaseRequest, now?: Date): Promise<LeaseAnswer>
  /**
   * The first jobs of each queue that are due within `seconds`: pending ones, and those whose host will have
   * let its lease pass.
   */
  upcoming(queues: readonly WaitedQueue[], seconds: number, now?: Date): Promise<readonly UpcomingJob[]>
  /** Writes the owner's report; undefined when the writer is not the owner. */
  report(write: StatusWrite, now?: Date): Promise<StatusOutcome | undefined>
  /** Appends lines; undefined when the writer is not the owner or the job ended more than ten minutes ago. */
  appendLogs(write: LogWrite, now?: Date): Promise<LogOutcome | undefined>
  /**
   * Renews the leases of jobs that a heartbeat lists, if the host still holds that attempt and less than
   * `RENEW_BELOW` of the lease is left. Returns the ids of the jobs whose lease it moved, each once, in the
   * order of the list.
   */
  renew(owners: readonly Owner[], leaseSeconds: number, now?: Date): Promise<readonly string[]>
  /**
   * Ends a pending job of the scope, asks the owner of a held one to stop, leaves a finished one; undefined
   * when there is none.
   */
  requestCancel(scope: Scope, write: CancelWrite, now?: Date): Promise<CancelOutcome | undefined>
  /** Ends the pending ones among the named jobs; returns them by id. */
  supersede(write: SupersedeWrite, now?: Date): Promise<readonly Job[]>
  /** Stores the first line of the log of a job that no host has had yet; a second one is not stored. */
  preface(jobId: string, line: LogLine, now?: Date): Promise<void>
  /** Asks jobs past their timeout to stop, and ends jobs whose owner is lost for good. */
  sweep(now?: Date): Promise<SweepResult>
  get(scope: Scope, jobId: string): Promise<Job | undefined>
  /** The jobs of a scope, without payloads: a thousand of them are more than an answer should hold. */
  list(scope: Scope, filter: JobFilter): Promise<readonly ListedJob[]>
  /**
   * The last id of the newest `rows` jobs that ended, in this time and `failed` or not; undefined: there are
   * fewer. Jobs of the whole platform are counted before their end too, and a tenant's license by license.
   */
  lookedTo(scope: Scope, filter: LookFilter, rows: number): Promise<string | undefined>
  /** The number of jobs of a license that wait, or `most` when there are more. */
  pending(licenseId: string, most: number): Promise<number>
  /**
   * Whether a host that is online may take jobs of this kind: one that runs it, or has never declared its
   * kinds. True while no host of the license is online, since nobody knows then.
   */
  isRun(work: Pick<Job, 'licenseId' | 'kind' | 'target'>, now?: Date): Promise<boolean>
  /** The unfinished job that holds the serial key a pending job waits for. */
  serialHolder(job: ListedJob): Promise<Job | undefined>
  /** When a host of the license last took a job. */
  lastClaim(licenseId: string): Promise<Date | undefined>
  /**
   * Stored lines in order of attempt and offset, `after` lines skipped: at most `limit` and, beyond the
   * first, `chars` UTF-16 code units; without `chars` of any length.
   */
  logs(jobId: string, after: number, limit: number, chars?: number): Promise<readonly StoredLine[]>
  /** How many lines each attempt stored, in order; attempts without any are left out. */
  logLengths(jobId: string): Promise<readonly AttemptLines[]>
  counts(now?: Date): Promise<JobCounts>
}
