/** A job as the claim answer carries it (docs/agents.md), read with tolerance. */
export interface ClaimedJob {
  /** Checked to be usable as a folder name. */
  readonly id: string
  /** Checked to be usable as a file name in the handlers folder. */
  readonly kind: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly deploymentId: string | undefined
  /** Fences every write about this job: a higher one exists once the job was handed out again. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly leaseSeconds: number
  readonly timeoutSeconds: number
  readonly log: {
    readonly nextOffset: number
    readonly maxLines: number
    readonly maxLineChars: number
    readonly intervalSeconds: number
  }
  /** The object as it came, for the handler. */
  readonly raw: Readonly<Record<string, unknown>>
}

const JOB_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/
const JOB_KIND = /^[a-z][a-z0-9_-]{0,63}$/

type Fields = Readonly<Record<string, unknown>>

/** Whether a word can be a kind of job: also the name of a file, never a path. */
export const isJobKind = (word: string): boolean => JOB_KIND.test(word)

/** Reads `{ job }`; `undefined` when it is no job that this agent could run or answer for. */
export function readClaimedJob(body: unknown): ClaimedJob | undefined {
  return readJob(fieldsOf(fieldsOf(body)?.job))
}

/** Reads the job object itself, as a work folder keeps it. */
export function readJob(raw: unknown): ClaimedJob | undefined {
  const job = fieldsOf(raw)
  if (!job || typeof job.id !== 'string' || !JOB_ID.test(job.id)) return undefined
  if (typeof job.kind !== 'string' || !isJobKind(job.kind)) return undefined
  const log = fieldsOf(job.log) ?? {}
  return {
    id: job.id,
    kind: job.kind,
    payload: fieldsOf(job.payload) ?? {},
    deploymentId: typeof job.deployment_id === 'string' ? job.deployment_id : undefined,
    attempt: count(job.attempt, 1),
    maxAttempts: count(job.max_attempts, 3),
    leaseSeconds: positive(job.lease_seconds, 300),
    timeoutSeconds: positive(job.timeout_seconds, 3600),
    log: {
      nextOffset: count(log.next_offset, 0),
      maxLines: Math.min(1000, count(log.max_lines, 1000) || 1000),
      maxLineChars: Math.min(8192, count(log.max_line_chars, 8192) || 8192),
      intervalSeconds: positive(log.interval_seconds, 2),
    },
    raw: job,
  }
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const count = (value: unknown, otherwise: number): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : otherwise

const positive = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : otherwise
