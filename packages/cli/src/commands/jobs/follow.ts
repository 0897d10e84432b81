import type { JobView, StoredLine } from '@svc/core'
import { shellWord } from '@svc/core/client'
import type { Connection } from '../../connect/connect.ts'
import type { CommandRun } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { isoSecond } from '../../terminal/render.ts'
import { paint, plain, tameLine } from '../../terminal/terminal.ts'
import { endText } from './job-table.ts'
import { type Watch, watchJob } from './job-watch.ts'

/** How a log is read. */
export interface LogsOptions {
  readonly follow?: boolean
  /** Lines as their host sent them, with all that they command a terminal. */
  readonly raw?: boolean
  /** Lines at the end that are printed; default: all. */
  readonly tail?: string
  /** Each line after the time of its writing, UTC. */
  readonly times?: boolean
}

const linesText = (lines: readonly StoredLine[], options: LogsOptions): string =>
  lines.map((line) => `${timeOf(line, options)}${tameLine(line.line)}\n`).join('')

const timeOf = ({ ts }: StoredLine, { times }: LogsOptions): string =>
  times === true ? `${isoSecond(ts)} ` : ''

/** Writes lines of a log to stdout. A pipe may end at a terminal, so it gets no others than one. */
export function writeLines({ io, options }: CommandRun<LogsOptions>, lines: readonly StoredLine[]): void {
  if (options.raw !== true) io.out.write(linesText(lines, options))
  else io.out.writeRaw(lines.map((line) => `${timeOf(line, options)}${line.line}\n`).join(''))
}

/** How a follow ended. `job` is undefined when Ctrl-C ended it. */
export interface Followed {
  readonly job: JobView | undefined
  readonly lines: readonly StoredLine[]
  readonly exitCode: ExitCode
}

/**
 * Prints a job's lines as they arrive, until it ends or somebody presses Ctrl-C, which leaves the job alone.
 * With `--json` the lines go to stderr, because stdout holds the one document.
 */
export async function follow(
  run: CommandRun<LogsOptions>,
  connection: Connection,
  jobId: string,
): Promise<Followed> {
  const lines: StoredLine[] = []
  const { io, options } = run
  const onLine = (line: StoredLine) => {
    if (options.json !== true) return writeLines(run, [line])
    lines.push(line)
    io.err.write(linesText([line], options))
  }
  const job = await untilStopped(run, { connection, jobId, onLine })
  if (job === undefined) {
    run.hint(
      `No longer following; the job goes on. svc jobs logs ${shellWord(jobId)} --follow · svc jobs cancel ${shellWord(jobId)}`,
    )
    return { job, lines, exitCode: EXIT.interrupted }
  }
  return { job, lines, exitCode: job.state === 'succeeded' ? EXIT.done : EXIT.failed }
}

/** Follows a job that was just made. With `--json` stdout gets the answer with the job as it ended. */
export async function followToEnd(
  run: CommandRun<LogsOptions>,
  connection: Connection,
  job: JobView,
  answerWith: (last: JobView) => object,
): Promise<ExitCode> {
  run.hint(`${job.id} is ${job.state}; following it, Ctrl-C leaves it alone`)
  const followed = await follow(run, connection, job.id)
  if (run.options.json !== true) printEnd(run, followed)
  else run.print(answerWith(followed.job ?? job), () => '')
  return followed.exitCode
}

/** Watches a job until it ends or a signal arrives; undefined after a signal. */
export async function untilStopped(
  run: CommandRun,
  watch: Pick<Watch, 'connection' | 'jobId' | 'onLine'>,
): Promise<JobView | undefined> {
  const stop = new AbortController()
  const undo = run.io.onStop(() => {
    // A request that hangs would keep the first one waiting.
    if (stop.signal.aborted) run.io.exit(EXIT.interrupted)
    stop.abort()
  })
  const onNote = (note: string) => run.note(note)
  return watchJob({ ...watch, signal: stop.signal, onNote }).finally(undo)
}

/** Prints how a followed job ended: its state is the last line on stdout. */
export function printEnd(run: CommandRun, { job }: Followed): void {
  if (job === undefined) return
  const { colour } = run.page
  const text = plain(endText(job, run.page))
  run.io.out.write(`${colour ? paint(text, job.state === 'succeeded' ? 'green' : 'red') : text}\n`)
}
