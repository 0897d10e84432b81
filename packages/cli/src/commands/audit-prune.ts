import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Problem } from '@svc/core'
import { ArchiveFolder } from '@svc/core/adapters'
import { type PrunedAudit, pruneAudit } from '@svc/core/sql'
import { placeToFill } from '../connect/database-place.ts'
import type { Handler } from '../program/command-run.ts'
import { facts } from '../terminal/render.ts'
import { secondOf } from './number-option.ts'

/** Flags of `svc audit prune`. */
export interface PruneOptions {
  readonly before: string
  readonly archive: string
  readonly dryRun?: boolean
}

/** Entries between two lines about the progress. */
const NOTE_EVERY = 50_000

/** Removes old entries of the audit log from the database, once an archive has them. */
export const pruneAuditLog: Handler<PruneOptions> = async (run) => {
  const { io, options } = run
  io.keepPrivate()
  const second = secondOf('--before', options.before) ?? 0
  const folder = new ArchiveFolder(resolve(io.cwd, options.archive))
  await using from = await placeToFill(io, options)
  if (from.dataDir !== undefined && !existsSync(join(from.dataDir, 'database')))
    throw new Problem('unavailable', { detail: `${from.dataDir} holds no database` })
  const onRows = (rows: number) => {
    if (rows % NOTE_EVERY === 0) run.note(`${rows} entries written`)
  }
  const isDry = options.dryRun === true
  const parts = { before: new Date(second * 1000), folder, actor: io.actor, onRows }
  // A time that is too late is refused before a folder is made.
  const counted = await pruneAudit(from.place, { ...parts, isDry: true })
  if (!isDry) await begun(folder)
  const pruned = isDry ? counted : await pruneAudit(from.place, { ...parts, isDry })
  run.print(pruned, (page) => facts(shown(pruned), page))
  if (isDry) run.hint('Nothing was removed: --dry-run.')
  else if (pruned.rows > 0) run.hint(`They are in ${folder.dir}: svc retention verify reads them back.`)
}

const shown = ({ rows, first, last, sha256 }: PrunedAudit): [string, string | undefined][] => [
  ['entries', String(rows)],
  ['first', first?.toISOString()],
  ['last', last?.toISOString()],
  ['sha256', sha256],
]

/** Marks a new folder, and takes one that is an archive already. */
async function begun(folder: ArchiveFolder): Promise<void> {
  try {
    await folder.begin('audit')
    await folder.mark()
  } catch (error) {
    throw new Problem('invalid-input', {
      detail: `${folder.dir} cannot be made an archive: ${(error as Error).message}`,
    })
  }
}
