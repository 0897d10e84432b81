import type { JobView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import type { Handler } from '../../program/command-run.ts'
import { jobFacts } from './job-table.ts'

/** Shows one job. */
export const showJob: Handler<object> = async (run) => {
  const answer = await run.operate<{ job: JobView; log_lines: number }>('jobs.show', { job: run.arg(0) })
  const { job, log_lines } = answer
  run.print(answer, (page) => jobFacts(job, page))
  if (log_lines > 0)
    run.hint(`${log_lines} log ${log_lines === 1 ? 'line' : 'lines'}: svc jobs logs ${shellWord(job.id)}`)
  if (job.state === 'pending') run.hint(`Waiting; svc jobs why ${shellWord(job.id)} says why.`)
}
