import type { OperationAnswer, StoredLine } from '@svc/core'
import type { Connection } from '../../connect/connect.ts'
import { given, type Handler } from '../../program/command-run.ts'
import type { ExitCode } from '../../terminal/failure.ts'
import { wholeNumber } from '../number-option.ts'
import { follow, type LogsOptions, printEnd, writeLines } from './follow.ts'

/** Prints the log of a job, or follows it to the end of the job. */
export const jobLogs: Handler<LogsOptions> = async (run): Promise<ExitCode | undefined> => {
  await using connection = await run.connect()
  const jobId = run.arg(0)
  const tail = wholeNumber('--tail', run.options.tail)
  if (run.options.follow) {
    const followed = await follow(run, connection, jobId)
    const { job, lines, exitCode } = followed
    if (run.options.json !== true) printEnd(run, followed)
    else if (job !== undefined)
      run.print(given({ logs: lines, state: job.state, error: job.error }), () => '')
    return exitCode
  }
  const document = await wholeLog(connection, jobId, tail)
  if (run.options.json === true) run.print(document, () => '')
  else writeLines(run, document.logs)
  if (document.log_gone === true && document.logs.length > 0) run.hint('These lines are from the archive.')
  else if (document.log_gone === true) run.hint('Its log went with its retention: svc retention show')
  else if (document.logs.length === 0) run.hint(`No lines yet; the job is ${document.state}.`)
  return undefined
}

interface LogDocument {
  readonly logs: readonly StoredLine[]
  readonly state: string
  readonly error?: string
  readonly log_gone?: boolean
}

async function lengthOf(connection: Connection, job: string): Promise<number> {
  const { log_lines } = (await connection.run('jobs.show', { job })) as OperationAnswer<'jobs.show'>
  return log_lines
}

const PAGE_LINES = 2_000

/** The log to its end; with `tail` only its last lines. */
async function wholeLog(connection: Connection, job: string, tail?: number): Promise<LogDocument> {
  const logs: StoredLine[] = []
  const start = tail === undefined ? 0 : Math.max(0, (await lengthOf(connection, job)) - tail)
  for (;;) {
    const input = { job, after: start + logs.length, limit: PAGE_LINES }
    const page = (await connection.run('jobs.logs', input)) as OperationAnswer<'jobs.logs'>
    logs.push(...page.logs)
    if (!page.more) {
      const { state, error, log_gone } = page
      // The length of a log in the archive is not known before it is read.
      const last = tail !== undefined && log_gone === true ? logs.slice(-tail) : logs
      return { logs: last, state, ...given({ error, log_gone }) }
    }
  }
}
