import { type JobView, shellWord } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { jobFacts } from './job-table.ts'

/** Shows one job. */
export const showJob: Handler<object> = async (call) => {
  const answer = await call.operate<{ job: JobView; log_lines: number }>('jobs.show', { job: call.arg(0) })
  const { job, log_lines } = answer
  call.print(answer, (page) => jobFacts(job, page))
  if (log_lines > 0) call.hint(`${log_lines} log lines: svc jobs logs ${shellWord(job.id)}`)
  if (job.state === 'pending') call.hint(`Waiting; svc jobs why ${shellWord(job.id)} says for what.`)
}
