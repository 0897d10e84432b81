import type { JobView, WaitReason } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { plain } from '../../terminal/terminal.ts'

/** Says why a job waits. */
export const whyJob: Handler<object> = async (call) => {
  const answer = await call.operate<{ job: JobView; reasons: readonly WaitReason[] }>('jobs.why', {
    job: call.arg(0),
  })
  const { job, reasons } = answer
  call.print(answer, () => reasons.map(({ text }) => `${plain(`${job.id} ${text}`)}\n`).join(''))
}
