import { join, resolve } from 'node:path'
import { Problem } from '@svc/core/client'
import { type ExportSummary, exportDatabase } from '@svc/core/sql'
import { type DatabasePlace, placeToRead } from '../../connect/database-place.ts'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { KEPT_SECRETS, readSecret } from '../up/kept-secret.ts'
import { writePrivateFile } from './private-file.ts'
import { onRows, printSummary, untilStopped } from './report.ts'

/** Flags of `svc export` and `svc backup`. */
export interface WriteOptions {
  readonly force?: boolean
}

/** Writes the rows of a database to a file, or to standard output. */
export const exportToFile: Handler<WriteOptions> = async (run) => {
  run.io.keepPrivate()
  await using from = await placeToRead(run.io, run.options)
  await write(run, from, {})
}

/** Writes the rows and the secrets of a data folder to a file. */
export const backUpToFile: Handler<WriteOptions> = async (run) => {
  run.io.keepPrivate()
  await using from = await placeToRead(run.io, run.options)
  const { dataDir } = from
  if (dataDir === undefined) {
    throw new Problem('invalid-input', {
      detail:
        'svc backup is for data folders (--data-dir): back PostgreSQL up with pg_dump, or use svc export',
    })
  }
  const kept: Record<string, string> = {}
  for (const name of KEPT_SECRETS) {
    const secret = await readSecret(join(dataDir, name))
    if (secret !== undefined) kept[name] = secret
  }
  await write(run, from, kept)
  const names = Object.keys(kept)
  if (names.length > 0)
    run.hint(`The file also holds the secrets ${names.join(', ')}: keep it like a password.`)
}

async function write(
  run: CommandRun<WriteOptions>,
  { place }: DatabasePlace,
  kept: Readonly<Record<string, string>>,
): Promise<void> {
  const { io, options } = run
  const name = run.arg(0)
  using stopped = untilStopped(io)
  const write = (sink: (piece: string) => Promise<void>): Promise<ExportSummary> =>
    exportDatabase(place, (piece) => stopped.check().then(() => sink(piece)), { kept, onRows: onRows(run) })
  if (name !== '-') {
    const summary = await writePrivateFile(resolve(io.cwd, name), options.force === true, write)
    printSummary(run, name, summary)
    return
  }
  if (io.out.isTty || options.json === true) {
    throw new Problem('invalid-input', {
      detail: 'the export is all that standard output can take: send it to a file or a pipe, without --json',
    })
  }
  const { rows } = await write((piece) => io.out.pourRaw(piece))
  run.hint(`Rows: ${Object.values(rows).reduce((sum, count) => sum + count, 0)}.`)
}
