import { createHash } from 'node:crypto'
import { firstIdAt, type Ids } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { type ArchiveFolder, archivedText } from '../archive/archive-folder.ts'
import type { OneConnection } from '../database/one-connection.ts'
import { instant } from '../database/values.ts'
import type { AuditEntry } from '../operations/audit-store.ts'

/** Days that entries of the audit log are kept at least. */
export const AUDIT_DAYS = 90

/** Inputs of a prune of the audit log. */
export interface AuditPruneParts {
  /** Entries before this time go. */
  readonly before: Date
  /** They are written there first. */
  readonly folder: ArchiveFolder
  readonly ids: Pick<Ids, 'next'>
  /** The person who prunes, as entries name operators. */
  readonly actor: string
  /** Whether entries are only counted. */
  readonly isDry: boolean
  /** Called with the number of entries that were written so far. */
  readonly onRows?: (rows: number) => void | Promise<void>
}

/** Entries that went, or would go. */
export interface PrunedAudit {
  readonly rows: number
  readonly first: Date | undefined
  readonly last: Date | undefined
  /** SHA-256 of their lines in the archive, in hexadecimal; undefined when they were only counted. */
  readonly sha256: string | undefined
}

const PAGE = 1000
const COUNT =
  'select count(*)::float8 as rows, min(at) as first, max(at) as last from audit_log where at < $1'
const READ = `select id, at, actor, operation, input, outcome from audit_log
  where at < $1 and id > $2 order by id limit ${PAGE}`
const REMOVE = `with gone as (delete from audit_log where at < $1 and id <= $2 returning id)
  select count(*)::float8 as rows from gone`
const NOTE = `insert into audit_log (id, at, actor, operation, input, outcome)
  values ($1, now(), $2, 'audit.prune', $3::jsonb, 'ok')`

/**
 * Writes entries of the audit log to an archive, and then removes them in one transaction, which leaves an
 * entry with their count, their bounds and their digest. The role has to own the table.
 * @throws Problem `invalid-input` for a time of less than `AUDIT_DAYS` ago, `conflict` when entries changed
 * meanwhile
 */
export async function pruneAudit(connection: OneConnection, parts: AuditPruneParts): Promise<PrunedAudit> {
  const { before, folder, ids, actor, isDry } = parts
  const [clock] = await connection.rows<{ late: boolean }>(
    `select $1::timestamptz > now() - interval '${AUDIT_DAYS} days' as late`,
    [before],
  )
  if (clock?.late !== false)
    throw new Problem('invalid-input', {
      details: [`before: expected a time of at least ${AUDIT_DAYS} days ago`],
    })
  type Counted = { rows: number; first: string | null; last: string | null }
  const [counted] = await connection.rows<Counted>(COUNT, [before])
  const { rows = 0, first, last } = counted ?? {}
  const bounds = { rows, first: first ? instant(first) : undefined, last: last ? instant(last) : undefined }
  if (isDry || rows === 0) return { ...bounds, sha256: undefined }
  const written = await archived(connection, parts)
  const input = { before, ...bounds, rows: written.rows, sha256: written.sha256, archive: folder.dir }
  await connection.rows('begin')
  try {
    const [gone] = await connection.rows<{ rows: number }>(REMOVE, [before, written.lastId])
    if (gone?.rows !== written.rows)
      throw new Problem('conflict', {
        detail: 'entries changed while they were written: nothing was removed',
      })
    await connection.rows(NOTE, [ids.next('aud'), actor, JSON.stringify(input)])
    await connection.rows('commit')
  } catch (error) {
    await connection.rows('rollback')
    throw error
  }
  return { ...bounds, rows: written.rows, sha256: written.sha256 }
}

/** Writes the entries to the files of their days, in the order of their ids. */
async function archived(connection: OneConnection, { before, folder, onRows }: AuditPruneParts) {
  const digest = createHash('sha256')
  let [rows, lastId] = [0, firstIdAt('aud', new Date(0)).slice(0, 4)]
  for (;;) {
    type Row = Omit<AuditEntry, 'at'> & { at: string }
    const page = await connection.rows<Row>(READ, [before, lastId])
    if (page.length === 0) return { rows, lastId, sha256: digest.digest('hex') }
    const lines = page.map(({ id, at, ...entry }) => {
      const day = instant(at).toISOString()
      return { day: day.slice(0, 10), line: { of: id, text: JSON.stringify({ at: day, ...entry }) } }
    })
    for (const [day, own] of Map.groupBy(lines, (each) => each.day))
      await folder.write(
        day,
        'audit',
        own.map(({ line }) => line),
      )
    for (const { line } of lines) digest.update(archivedText(line))
    rows += page.length
    lastId = page.at(-1)?.id ?? lastId
    await onRows?.(rows)
  }
}
