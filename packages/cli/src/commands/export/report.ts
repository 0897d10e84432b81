import type { ExportSummary } from '@svc/core/sql'
import type { CommandRun } from '../../program/command-run.ts'
import type { Io } from '../../terminal/io.ts'
import { table } from '../../terminal/render.ts'
import { Interrupted } from '../../terminal/secret-input.ts'

const NOTE_EVERY_MS = 1000

/** Notes at a terminal how far the work is, once a second. */
export function onRows(run: CommandRun): (table: string, rows: number) => void {
  let notedAt = performance.now()
  return (name, rows) => {
    const now = performance.now()
    if (!run.io.err.isTty || now - notedAt < NOTE_EVERY_MS) return
    notedAt = now
    run.note(`${name}: ${rows} rows`)
  }
}

/** Prints how many rows the tables have in the file; as a table without the empty ones. */
export function printSummary(run: CommandRun, file: string, { rows, sha256 }: ExportSummary): void {
  const counts = Object.entries(rows).map(([name, count]) => ({ name, count }))
  const columns = [
    { title: 'TABLE', text: ({ name }: (typeof counts)[number]) => name },
    { title: 'ROWS', text: ({ count }: (typeof counts)[number]) => String(count) },
  ]
  const filled = counts.filter(({ count }) => count > 0)
  run.print({ file, tables: rows, sha256 }, (page) => table(columns, filled, page))
  run.hint(`SHA-256 of all rows: ${sha256}`)
}

/** Hears signals while files are open, so that unfinished files can be removed. */
export function untilStopped(io: Io): Disposable & { check(): Promise<void> } {
  let isStopped = false
  const undo = io.onStop(() => {
    if (isStopped) io.exit(1)
    isStopped = true
  })
  return {
    check: async () => {
      if (isStopped) throw new Interrupted()
    },
    [Symbol.dispose]: undo,
  }
}
