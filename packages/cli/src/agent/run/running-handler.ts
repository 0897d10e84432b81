import type { ClaimedJob } from './claimed-job.ts'
import type { HandlerEnd } from './handler-process.ts'

/** The work of a job under way: a process, or the agent's own. */
export interface RunningHandler {
  /** Resolves once, when the work has ended; never rejects. */
  readonly ended: Promise<HandlerEnd>
  /** Whether the work itself has ended. */
  readonly exited: boolean
  /** Asks it to end, and waits until it has; by force after `graceMs`, if that can be. */
  terminate(graceMs: number): Promise<void>
  /** Ends it now. */
  kill(): void
}

/** Starts the work of a job that the agent does itself. */
export type OwnHandler = (job: ClaimedJob, onLine: (line: string) => void) => RunningHandler

/** The kinds of jobs that the agent does itself. */
export type OwnHandlers = ReadonlyMap<string, OwnHandler>
