import { type JobView, shellWord } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { jobsTable } from './job-table.ts'

/** Does the work of a finished job again, as a new job. */
export const retryJob: Handler<object> = async (call) => {
  const answer = await call.operate<{ job: JobView; created: boolean }>('jobs.retry', { job: call.arg(0) })
  const { job, created } = answer
  call.print(answer, (page) => jobsTable([job], page))
  if (!created) call.hint('An unfinished job has the same dedupe key: this is that one.')
  call.hint(`Follow it: svc jobs logs ${shellWord(job.id)} --follow`)
}
