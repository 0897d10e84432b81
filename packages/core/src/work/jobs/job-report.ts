import { isHeld, isTerminal, type JobState } from './job.ts'

/** Longest `error` a host may report, in characters (spec, Limits). */
export const MAX_ERROR_CHARS = 8192

/**
 * The state after the owner reports `reported` on a job in `current` (spec, States; docs/agents.md has the
 * table). A running job never goes back to claimed. `pending` gives the job back, or ends it if a cancel
 * waits.
 */
export function stateAfterReport(current: JobState, reported: JobState, cancelRequested: boolean): JobState {
  if (!isHeld(current)) return current
  if (reported === 'claimed') return current
  return reported === 'pending' && cancelRequested ? 'failed' : reported
}

/** The effect of a report on its job, for counters and for the header that tells the host. */
export type ReportEffect = 'renewed' | 'given-back' | 'finished' | 'ignored'

/** Names the effect of moving from `before` to `after`. */
export function reportEffect(before: JobState, after: JobState): ReportEffect {
  if (isTerminal(before)) return 'ignored'
  if (after === 'pending') return 'given-back'
  return isTerminal(after) ? 'finished' : 'renewed'
}
