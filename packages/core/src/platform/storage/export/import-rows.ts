import { createHash } from 'node:crypto'
import { Problem } from '../../../kernel/problem.ts'
import type { OneConnection } from '../../database/one-connection.ts'
import { arrayLiteral } from '../../database/values.ts'
import {
  damaged,
  type ExportSummary,
  headOf,
  type Line,
  parseLine,
  type Row,
  requireHead,
} from './export-file.ts'
import { ownSettings } from './export-rows.ts'
import { quoted, type Table } from './exported-tables.ts'
import { readLines } from './read-lines.ts'

/** Inputs of an import. */
export interface ImportParts {
  readonly tables: readonly Table[]
  /** This release and its newest migration. */
  readonly release: string
  readonly schema: string
  /** Called with the files that went along, when all rows are checked and before they count. */
  readonly keep?: (files: ReadonlyMap<string, string>) => Promise<void>
  /** Called as rows are written, with the rows of the table so far. */
  readonly onRows?: (table: string, rows: number) => void
}

const LOCK_WAIT = '5s'
/** A statement inserts so many rows at most, and rows of so many characters at most. */
const INSERT_ROWS = 500
const INSERT_CHARS = 1024 * 1024

/**
 * Fills an empty database from the bytes of an export, in one transaction: after any failure it is as empty
 * as before. The connection's role must own the tables, as the role that migrates does.
 * @throws Problem `conflict` when a table has rows or another release wrote the file, `invalid-input` when
 * the file is damaged
 */
export async function importRows(
  connection: OneConnection,
  pieces: AsyncIterable<Uint8Array>,
  parts: ImportParts,
): Promise<ExportSummary> {
  const { tables } = parts
  await connection.rows('begin')
  let summary: ExportSummary
  try {
    await ownSettings(connection)
    const withTriggers = await tablesWithTriggers(connection, tables)
    await takeTables(connection, tables, withTriggers).catch(explainAccess)
    await requireEmpty(connection, tables)
    summary = await fill(connection, pieces, parts)
    for (const name of withTriggers) await connection.rows(`alter table ${quoted(name)} enable trigger user`)
    await connection.rows('commit')
  } catch (error) {
    await connection.rows('rollback').catch(() => {})
    throw error
  }
  // Without it the first plans would suit empty tables.
  for (const { name } of tables) await connection.rows(`analyze ${quoted(name)}`)
  return summary
}

/** Keeps all others from writing, and triggers from working. */
async function takeTables(
  connection: OneConnection,
  tables: readonly Table[],
  withTriggers: readonly string[],
): Promise<void> {
  const names = tables.map(({ name }) => quoted(name))
  await connection.rows(`set local lock_timeout = '${LOCK_WAIT}'`)
  await connection.rows(`lock table ${names.join(', ')} in share row exclusive mode`)
  // Triggers did their work when the service wrote these rows. A second time they would change the rows.
  for (const name of withTriggers) await connection.rows(`alter table ${quoted(name)} disable trigger user`)
}

/** @throws Problem `conflict` when a table has rows */
async function requireEmpty(connection: OneConnection, tables: readonly Table[]): Promise<void> {
  const looks = tables.map(
    ({ name }) => `select '${name}' as name where exists (select from ${quoted(name)})`,
  )
  const filled = await connection.rows<{ name: string }>(looks.join(' union all '))
  if (filled.length === 0) return
  const list = filled.map(({ name }) => name).join(', ')
  throw new Problem('conflict', {
    detail: `the database is not empty (${list}): import into a new one, before anything is served from it`,
  })
}

const INSUFFICIENT_PRIVILEGE = '42501'
const LOCK_NOT_AVAILABLE = '55P03'

function explainAccess(cause: unknown): never {
  const { code } = cause as { code?: unknown }
  const detail =
    code === LOCK_NOT_AVAILABLE
      ? 'something works with the database: stop the service, then try again'
      : 'the role of DATABASE_URL does not own the tables: import with the role that migrates'
  if (code !== LOCK_NOT_AVAILABLE && code !== INSUFFICIENT_PRIVILEGE) throw cause
  throw new Problem('conflict', { detail }, { cause })
}

async function tablesWithTriggers(
  connection: OneConnection,
  tables: readonly Table[],
): Promise<readonly string[]> {
  const found = await connection.rows<{ name: string }>(
    `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
       join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and not t.tgisinternal
       and c.relname = any(string_to_array($1::text, ' '))`,
    [tables.map(({ name }) => name).join(' ')],
  )
  return found.map(({ name }) => name)
}

/** Reads the file to its end, writes its rows, and checks them by the counts and the digest of the tail. */
async function fill(
  connection: OneConnection,
  pieces: AsyncIterable<Uint8Array>,
  { tables, release, schema, keep = async () => {}, onRows = () => {} }: ImportParts,
): Promise<ExportSummary> {
  const hash = createHash('sha256')
  const files = new Map<string, string>()
  const rows = new RowWriter(connection, tables, onRows)
  let hasHead = false
  let end: ExportSummary | undefined
  for await (const { text, count } of readLines(pieces)) {
    if (end !== undefined) throw damaged('something stands behind its end')
    if (!hasHead) {
      requireHead(text, headOf(tables, release, schema))
      hasHead = true
      count(hash)
      continue
    }
    const line = parseLine(text)
    if ('end' in line) {
      end = line.end
      continue
    }
    count(hash)
    if ('file' in line) files.set(line.file, line.text)
    else await rows.take(line)
  }
  if (end === undefined) throw damaged('it is cut')
  const counts = await rows.end()
  const isWhole = tables.every(({ name }) => end.rows[name] === counts[name])
  if (!isWhole) throw damaged('the number of its rows is another')
  if (end.sha256 !== hash.digest('hex')) throw damaged('its digest is another')
  await keep(files)
  return { rows: counts, sha256: end.sha256 }
}

/** Writes rows, many with each statement. */
class RowWriter {
  readonly #connection: OneConnection
  readonly #tables: readonly Table[]
  readonly #onRows: (table: string, rows: number) => void
  readonly #counts: Record<string, number> = {}
  /** The number of tables that have been named. */
  #named = 0
  #rows: Row[] = []
  #chars = 0

  constructor(
    connection: OneConnection,
    tables: readonly Table[],
    onRows: (table: string, rows: number) => void,
  ) {
    this.#connection = connection
    this.#tables = tables
    this.#onRows = onRows
  }

  async take(line: Extract<Line, { table: string } | { row: Row }>): Promise<void> {
    if ('table' in line) {
      await this.#flush()
      if (line.table !== this.#tables[this.#named]?.name) throw damaged('its tables are in another order')
      this.#named += 1
      this.#counts[line.table] = 0
      return
    }
    if (line.row.length !== this.#table().columns.length) throw damaged('a row has another number of values')
    this.#rows.push(line.row)
    for (const value of line.row) this.#chars += value?.length ?? 0
    if (this.#rows.length >= INSERT_ROWS || this.#chars >= INSERT_CHARS) await this.#flush()
  }

  /** Returns the number of rows by table. */
  async end(): Promise<Readonly<Record<string, number>>> {
    await this.#flush()
    return this.#counts
  }

  #table(): Table {
    const table = this.#tables[this.#named - 1]
    if (table === undefined) throw damaged('a row stands before every table')
    return table
  }

  async #flush(): Promise<void> {
    const rows = this.#rows
    if (rows.length === 0) return
    const { name, columns } = this.#table()
    this.#rows = []
    this.#chars = 0
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const values = columns.map((column) => `r.${quoted(column.name)}::${column.type}`).join(', ')
    // As texts, which both drivers hand on as they are.
    const arrays = columns.map((_, index) => `$${index + 1}::text::text[]`).join(', ')
    const insert = `insert into ${quoted(name)} (${names}) select ${values} from unnest(${arrays}) as r(${names})`
    const params = columns.map((_, index) => arrayLiteral(rows.map((row) => row[index])))
    await this.#connection.rows(insert, params).catch((error: unknown) => explainRow(error, name))
    this.#counts[name] = (this.#counts[name] ?? 0) + rows.length
    this.#onRows(name, this.#counts[name])
  }
}

/** Classes of PostgreSQL's errors for values that it cannot read, and for rows that break a constraint. */
const WRONG_VALUE = /^(22|23)/

function explainRow(error: unknown, table: string): never {
  const { code } = error as { code?: unknown }
  if (!WRONG_VALUE.test(String(code))) throw error
  throw damaged(`a row of ${table} cannot be stored`)
}
