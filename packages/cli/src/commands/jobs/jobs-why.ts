import type { JobView, WaitReason } from '@svc/core'
import type { Handler } from '../../program/command-run.ts'
import { plain } from '../../terminal/terminal.ts'

/** Says why a job waits. */
export const whyJob: Handler<object> = async (run) => {
  const answer = await run.operate<{ job: JobView; reasons: readonly WaitReason[] }>('jobs.why', {
    job: run.arg(0),
  })
  const { job, reasons } = answer
  run.print(answer, () => reasons.map(({ text }) => `${plain(`${job.id} ${text}`)}\n`).join(''))
}
