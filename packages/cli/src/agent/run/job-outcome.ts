import type { StatusReport } from '../wire/agent-api.ts'
import type { ClaimedJob } from './claimed-job.ts'
import type { HandlerEnd } from './handler-process.ts'

/**
 * Reason for ending work early. `cancelled` and `timeout` are reported as failed, `given back` as pending,
 * `gone` not at all, because the job no longer belongs to this host.
 */
export type Interruption = 'cancelled' | 'timeout' | 'given back' | 'gone'

/** Longest `error` that the wire takes (spec, Job status request). */
const MAX_ERROR_CHARS = 8192

/** Returns the report on work that ended by itself. */
export function outcomeOf(end: HandlerEnd, kind: string): StatusReport {
  if (end.fault !== undefined) return noHandler(kind)
  if (end.error !== undefined) return { state: 'failed', error: end.error.slice(0, MAX_ERROR_CHARS) }
  if (end.code === 0) return { state: 'succeeded', exit_code: 0 }
  const how = end.code === undefined ? killedBy(end.signal) : `exit code ${end.code}`
  const error = end.lastWords === undefined ? how : `${how}: ${end.lastWords}`
  return { state: 'failed', ...exitCode(end), error: error.slice(0, MAX_ERROR_CHARS) }
}

/**
 * The kernel gives no reason with a signal. A SIGKILL that nobody asked for usually comes from its
 * out-of-memory killer.
 */
const killedBy = (signal: NodeJS.Signals | undefined): string =>
  `killed by ${signal}${signal === 'SIGKILL' ? ' (perhaps by the out-of-memory killer)' : ''}`

/** Returns the report on work that was ended early. */
export function outcomeOfInterrupted(
  why: Exclude<Interruption, 'gone'>,
  job: ClaimedJob,
  end: HandlerEnd,
): StatusReport {
  if (why === 'given back') return { state: 'pending' }
  const error = why === 'cancelled' ? 'cancelled' : `timed out after ${job.timeoutSeconds} s`
  return { state: 'failed', ...exitCode(end), error }
}

/** Returns the report on work that was cut off when its agent ended. */
export function outcomeOfAbandoned(job: ClaimedJob): StatusReport {
  // A job that is given back does not count as a lost lease, so a job that crashes the agent would be retried
  // for ever.
  if (job.attempt < job.maxAttempts) return { state: 'pending' }
  return {
    state: 'failed',
    error: `the agent ended while the job ran (attempt ${job.attempt} of ${job.maxAttempts})`,
  }
}

/** Returns the report on a job whose kind this host cannot run. */
export const noHandler = (kind: string): StatusReport => ({
  state: 'failed',
  error: `no handler for ${kind}`,
})

const exitCode = ({ code }: HandlerEnd): { exit_code?: number } =>
  code === undefined ? {} : { exit_code: code }
