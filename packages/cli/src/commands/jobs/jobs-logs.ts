import type { StoredLine } from '@svc/core'
import type { Connection } from '../../connect/connect.ts'
import { given, type Handler } from '../../program/call.ts'
import type { ExitCode } from '../../program/failure.ts'
import { follow, type LogsOptions, printEnd, writeLines } from './follow.ts'

/** Prints the log of a job, or follows it to the end of the job. */
export const jobLogs: Handler<LogsOptions> = async (call): Promise<ExitCode | undefined> => {
  await using connection = await call.connect()
  const jobId = call.arg(0)
  if (call.options.follow) {
    const followed = await follow(call, connection, jobId)
    const { job, lines, exitCode } = followed
    if (call.options.json !== true) printEnd(call, followed)
    else if (job !== undefined)
      call.print(given({ logs: lines, state: job.state, error: job.error }), () => '')
    return exitCode
  }
  const document = await wholeLog(connection, jobId)
  if (call.options.json === true) call.print(document, () => '')
  else writeLines(call, document.logs)
  if (document.logs.length === 0) call.hint(`No lines yet; the job is ${document.state}.`)
  return undefined
}

interface LogDocument {
  readonly logs: readonly StoredLine[]
  readonly state: string
  readonly error?: string
}

interface LogPage extends LogDocument {
  readonly more: boolean
}

const PAGE_LINES = 2_000

async function wholeLog(connection: Connection, job: string): Promise<LogDocument> {
  const logs: StoredLine[] = []
  for (;;) {
    const input = { job, after: logs.length, limit: PAGE_LINES }
    const page = (await connection.run('jobs.logs', input)) as unknown as LogPage
    logs.push(...page.logs)
    if (!page.more) {
      const { state, error } = page
      return { logs, state, ...(error === undefined ? {} : { error }) }
    }
  }
}
