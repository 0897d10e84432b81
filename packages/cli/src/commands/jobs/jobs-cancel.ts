import type { JobView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { untilStopped } from './follow.ts'
import { isOver, jobsTable } from './job-table.ts'

/** Flags of `svc jobs cancel`. */
export interface CancelOptions {
  readonly wait?: boolean
  readonly reason?: string
}

const endedCancelled = (job: JobView): boolean =>
  job.state === 'failed' && job.cancel_requested_at !== undefined

/**
 * Ends a job that waits, or asks its host to stop it. With `--wait` the command ends when the host has
 * confirmed: code 0 when the job was cancelled, 1 when it ended in another way first.
 */
export const cancelJob: Handler<CancelOptions> = async (run): Promise<ExitCode | undefined> => {
  await using connection = await run.connect()
  const jobId = run.arg(0)
  const input = given({ job: jobId, reason: run.options.reason })
  const asked = (await connection.run('jobs.cancel', input)) as { job: JobView; effect: string }
  const isWaiting = run.options.wait === true && !isOver(asked.job)
  if (isWaiting) run.hint('asked its host to stop; waiting for the confirmation')
  const job = isWaiting ? ((await untilStopped(run, { connection, jobId })) ?? asked.job) : asked.job
  run.print({ ...asked, job }, (page) => jobsTable([job], page))
  if (asked.effect === 'none' && !endedCancelled(job)) run.hint(`It had ${job.state} before.`)
  if (run.options.wait !== true) {
    if (!isOver(job))
      run.hint(`Its host was asked to stop: svc jobs cancel ${shellWord(job.id)} --wait waits for the end.`)
    return undefined
  }
  return endedCancelled(job) ? EXIT.done : EXIT.failed
}
