import type { StoredLine } from '@svc/core'
import type { Call } from '../../call.ts'
import type { Connection } from '../../connect.ts'
import { EXIT, type ExitCode } from '../../failure.ts'
import { paint, tameLine } from '../../terminal.ts'
import { endText, type JobView } from './job-table.ts'
import { type Watch, watchJob } from './job-watch.ts'

/** What a shell shows for a program that Ctrl-C ended. */
const INTERRUPTED = 130 as ExitCode

/** How a follow ended. `job` is undefined when Ctrl-C ended it. */
export interface Followed {
  readonly job: JobView | undefined
  readonly lines: readonly StoredLine[]
  readonly exitCode: ExitCode
}

/**
 * Prints a job's lines as they arrive, until it ends or somebody presses Ctrl-C, which leaves the job alone. With
 * `--json` the lines go to stderr, because stdout holds the one document.
 */
export async function follow(call: Call, connection: Connection, jobId: string): Promise<Followed> {
  const lines: StoredLine[] = []
  const output = call.options.json === true ? call.io.err : call.io.out
  const onLine = (line: StoredLine) => {
    if (call.options.json === true) lines.push(line)
    output.write(`${output.isTty ? tameLine(line.line) : line.line}\n`)
  }
  const job = await untilStopped(call, { connection, jobId, onLine })
  if (job === undefined) {
    call.hint(
      `No longer following; the job goes on. svc jobs logs ${jobId} --follow · svc jobs cancel ${jobId}`,
    )
    return { job, lines, exitCode: INTERRUPTED }
  }
  return { job, lines, exitCode: job.state === 'succeeded' ? EXIT.done : EXIT.failed }
}

/** Watches a job until it ends or a signal arrives; undefined after a signal. */
export async function untilStopped(
  call: Call,
  watch: Pick<Watch, 'connection' | 'jobId' | 'onLine'>,
): Promise<JobView | undefined> {
  const stop = new AbortController()
  const undo = call.io.onStop(() => {
    // A request that hangs would keep the first one waiting.
    if (stop.signal.aborted) call.io.exit(INTERRUPTED)
    stop.abort()
  })
  const isTinted = call.io.err.isTty && !call.io.env.NO_COLOR
  const onNote = (note: string) => call.hint(isTinted ? paint(tameLine(note), 'dim') : note)
  return watchJob({ ...watch, signal: stop.signal, onNote }).finally(undo)
}

/** Prints how a followed job ended: its state is the last line on stdout. */
export function printEnd(call: Call, { job }: Followed): void {
  if (job === undefined) return
  const { colour } = call.page
  const text = tameLine(endText(job, call.page))
  call.io.out.write(`${colour ? paint(text, job.state === 'succeeded' ? 'green' : 'red') : text}\n`)
}
