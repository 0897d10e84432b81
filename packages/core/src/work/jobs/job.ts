import { Problem } from '../../kernel/problem.ts'

/** The kinds of work for a host (spec, Job), and `backup`, which fills the ledger of images. */
export const JOB_KINDS = [
  'deploy',
  'redeploy',
  'stop',
  'remove',
  'db',
  'restore',
  'firewall',
  'prune',
  'expose',
  'unexpose',
  'backup',
] as const
export type JobKind = (typeof JOB_KINDS)[number]

/** The states of a job (spec, States and transitions). */
export const JOB_STATES = ['pending', 'claimed', 'running', 'succeeded', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** States of jobs that have not ended. */
export const UNFINISHED_STATES = ['pending', 'claimed', 'running'] as const
export type UnfinishedState = (typeof UNFINISHED_STATES)[number]

/** Whether `state` never changes again. */
export const isTerminal = (state: JobState): boolean => state === 'succeeded' || state === 'failed'
/** Whether a job in `state` is owned by a host, under a lease. */
export const isHeld = (state: JobState): boolean => state === 'claimed' || state === 'running'

/** Leases that may be lost before a job is failed. */
export const MAX_ATTEMPTS = 3
/** Default timeout of a job, in seconds. */
export const TIMEOUT_SECONDS = 3600

/** Why a job was asked to stop: a person, its own timeout, or its host silent after a cancel. */
export interface CancelRequest {
  readonly at: Date
  readonly reason: string
}

/** A job that is stored when the one before it has succeeded: the same for another host. */
export interface Successor {
  readonly id: string
  /** Full fingerprint of its host. */
  readonly target: string
  readonly deploymentId?: string
}

/** One unit of work for one host of one license. Instants are the database's. */
export interface Job {
  readonly id: string
  readonly licenseId: string
  readonly kind: JobKind
  readonly state: JobState
  readonly payload: Readonly<Record<string, unknown>>
  /** The sealed `env` of the payload, which then has its names alone; undefined when nothing is sealed. */
  readonly sealedEnv: string | undefined
  /** Full fingerprint of the only host that may claim it; `''` when any host of the license may. */
  readonly target: string
  /** Whether it goes ahead of all other pending jobs for the same host. */
  readonly urgent: boolean
  /** The application it works on, when its kind has one. */
  readonly app: string | undefined
  /** Jobs of one license with the same key run one after the other. */
  readonly serialKey: string | undefined
  /** Unique over the license's unfinished jobs. */
  readonly dedupeKey: string | undefined
  readonly deploymentId: string | undefined
  /** The jobs that follow on other hosts, each after the one before it has succeeded; undefined: none. */
  readonly successors: readonly Successor[] | undefined
  /** The job that this one tries again. */
  readonly retryOf: string | undefined
  readonly createdAt: Date
  /**
   * When it is due: its start time while pending, the end of its lease while held; undefined while it waits
   * for another job.
   */
  readonly availableAt: Date | undefined
  /** Fingerprint of the host that holds it, or held it last. */
  readonly claimedBy: string | undefined
  readonly claimedAt: Date | undefined
  readonly startedAt: Date | undefined
  readonly finishedAt: Date | undefined
  /** How often it was handed out; grows with each claim and fences the writes of earlier owners. */
  readonly attempt: number
  /** How often a lease on it was lost. */
  readonly lost: number
  readonly maxAttempts: number
  readonly timeoutSeconds: number
  readonly cancel: CancelRequest | undefined
  readonly exitCode: number | undefined
  readonly error: string | undefined
}

/** Whether the job ended because somebody asked it to. */
export const wasCancelled = (job: Job): boolean => job.state === 'failed' && job.cancel !== undefined

/** Returns the refusal of a job that does not exist, for any caller. */
export const noJob = (jobId: string): Problem =>
  new Problem('not-found', { detail: `there is no job ${jobId}` })
