import type { StatusReport } from '../wire/agent-api.ts'
import type { ClaimedJob } from './claimed-job.ts'
import type { HandlerEnd } from './handler-process.ts'

/**
 * Why work is ended before its own end. `cancelled` and `timeout` are reported as failed, `given back` as
 * pending, `gone` not at all: the job belongs to somebody else.
 */
export type Interruption = 'cancelled' | 'timeout' | 'given back' | 'gone'

/** Longest `error` that the wire takes (spec, Job status request). */
const MAX_ERROR_CHARS = 8192

/** What to report of work that ended by itself. */
export function outcomeOf(end: HandlerEnd, kind: string): StatusReport {
  if (end.fault !== undefined) return noHandler(kind)
  if (end.code === 0) return { state: 'succeeded', exit_code: 0 }
  const how = end.code === undefined ? killedBy(end.signal) : `exit code ${end.code}`
  const error = end.lastWords === undefined ? how : `${how}: ${end.lastWords}`
  return { state: 'failed', ...exitCode(end), error: error.slice(0, MAX_ERROR_CHARS) }
}

/**
 * The kernel names no reason with a signal. Its out-of-memory killer is the usual sender of a SIGKILL that
 * nobody asked for.
 */
const killedBy = (signal: NodeJS.Signals | undefined): string =>
  `killed by ${signal}${signal === 'SIGKILL' ? ' (perhaps by the out-of-memory killer)' : ''}`

/** What to report of work that was ended. */
export function outcomeOfInterrupted(
  why: Exclude<Interruption, 'gone'>,
  job: ClaimedJob,
  end: HandlerEnd,
): StatusReport {
  if (why === 'given back') return { state: 'pending' }
  const error = why === 'cancelled' ? 'cancelled' : `timed out after ${job.timeoutSeconds} s`
  return { state: 'failed', ...exitCode(end), error }
}

/** What to report of work that ended with the agent that ran it. */
export function outcomeOfAbandoned(job: ClaimedJob): StatusReport {
  // Giving back is not counted as a lost lease, so a job that takes the agent down with it would go round for
  // ever.
  if (job.attempt < job.maxAttempts) return { state: 'pending' }
  return {
    state: 'failed',
    error: `the agent ended while the job ran (attempt ${job.attempt} of ${job.maxAttempts})`,
  }
}

/** What to report of a kind that this host cannot run. */
export const noHandler = (kind: string): StatusReport => ({
  state: 'failed',
  error: `no handler for ${kind}`,
})

const exitCode = ({ code }: HandlerEnd): { exit_code?: number } =>
  code === undefined ? {} : { exit_code: code }
