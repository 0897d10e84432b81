import type { JobView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import type { Handler } from '../../program/command-run.ts'
import { jobsTable } from './job-table.ts'

/** Does the work of a finished job again, as a new job. */
export const retryJob: Handler<object> = async (run) => {
  const answer = await run.operate<{ job: JobView; created: boolean; warning?: string }>('jobs.retry', {
    job: run.arg(0),
  })
  const { job, created, warning } = answer
  run.print(answer, (page) => jobsTable([job], page))
  if (!created) run.hint('An unfinished job has the same dedupe key: this is that one.')
  if (warning !== undefined) run.hint(`warning: ${warning}`)
  run.hint(`Follow it: svc jobs logs ${shellWord(job.id)} --follow`)
}
