import type { RetentionView } from '@svc/core'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { instant, type Page, table } from '../../terminal/render.ts'
import { bytesText } from '../images/image-table.ts'
import { wholeNumber } from '../number-option.ts'

/** Flags of `svc retention accept`. */
export interface AcceptOptions {
  readonly jobDays?: string
  readonly logDays?: string
}

/** Flags of `svc retention run`. */
export interface RunOptions {
  readonly dryRun?: boolean
}

interface Removed {
  readonly jobs: number
  readonly logs: number
  readonly more: boolean
}

const counted = ({ rows, more }: { readonly rows: number; readonly more: boolean }): string =>
  more ? `more than ${rows}` : String(rows)

/** The rules of retention as people read them. */
export function retentionTable({ jobs, logs }: RetentionView, page: Page): string {
  const rows = [
    { what: 'ended jobs and their deployments', rule: jobs, size: undefined },
    { what: 'pieces of logs', rule: logs, size: logs.bytes },
  ]
  return table(
    [
      { title: 'WHAT', text: ({ what }) => what },
      { title: 'KEPT', text: ({ rule }) => `${rule.days} days` },
      { title: 'PAST THAT', text: ({ rule }) => counted(rule) },
      { title: 'SIZE', text: ({ size }) => (size ? (bytesText(size) ?? '') : '') },
      { title: 'REMOVED', text: ({ rule }) => (rule.goes ? 'yes' : 'no') },
    ],
    rows,
    page,
  )
}

function printed(run: CommandRun, answer: RetentionView): void {
  run.print(answer, (page) => retentionTable(answer, page))
  const { jobs, held, archive } = answer
  if (archive?.fault !== undefined) run.hint(`Nothing goes: ${archive.fault}`)
  else if (archive?.dir !== undefined) run.hint(`Written to ${archive.dir} before they go.`)
  if (jobs.oldest_finished_at !== undefined)
    run.hint(`The oldest of these jobs ended at ${instant(jobs.oldest_finished_at, run.page)}.`)
  if (held)
    run.hint(
      'This database has jobs from before it had rules: nothing goes until svc retention accept says so, or until',
      'SERVICE_JOB_RETENTION_DAYS and SERVICE_LOG_RETENTION_DAYS say how long they are kept.',
    )
}

/** Shows the rules of retention and the rows past them. */
export const showRetention: Handler<object> = async (run) => {
  printed(run, await run.operate<RetentionView>('retention.show', {}))
}

/** Accepts the rules of retention, by their days; without them it shows the rows that would go. */
export const acceptRetention: Handler<AcceptOptions> = async (run) => {
  const [jobDays, logDays] = [
    wholeNumber('--job-days', run.options.jobDays),
    wholeNumber('--log-days', run.options.logDays),
  ]
  if (jobDays === undefined || logDays === undefined) {
    const shown = await run.operate<RetentionView>('retention.show', {})
    run.print(shown, (page) => retentionTable(shown, page))
    if (!shown.held) {
      run.hint('There is nothing to accept: rows past their retention go by themselves.')
      return EXIT.done
    }
    run.hint(
      `Nothing was accepted. To let these go: svc retention accept --job-days ${shown.jobs.days} --log-days ${shown.logs.days}`,
    )
    return EXIT.usage
  }
  const input = { job_days: jobDays, log_days: logDays }
  const answer = await run.operate<RetentionView>('retention.accept', input)
  run.print(answer, (page) => retentionTable(answer, page))
  run.hint('Accepted: the service removes these within the next minutes; svc retention run does it now.')
  return undefined
}

/** Removes everything that is past its retention, some seconds at a time. */
export const runRetention: Handler<RunOptions> = async (run) => {
  if (run.options.dryRun === true) {
    printed(run, await run.operate<RetentionView>('retention.show', {}))
    run.hint('Nothing was removed: --dry-run.')
    return
  }
  await using connection = await run.connect()
  const removed = { jobs: 0, logs: 0 }
  for (let more = true; more; ) {
    const part = (await connection.run('retention.run', {})) as unknown as Removed
    removed.jobs += part.jobs
    removed.logs += part.logs
    more = part.more
    if (more) run.note(`${removed.jobs} jobs and ${removed.logs} pieces of logs removed so far`)
  }
  run.print(removed, () => `${removed.jobs} jobs and ${removed.logs} pieces of logs removed\n`)
}
