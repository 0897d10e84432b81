import { createHash } from 'node:crypto'
import type { OneConnection } from '../../database/one-connection.ts'
import { type ExportSummary, type Head, headOf } from './export-file.ts'
import { quoted, type Table } from './exported-tables.ts'

/** Takes a piece of the file, and resolves when there is room for the next. */
export type Sink = (piece: string) => Promise<void>

/** Inputs of an export. */
export interface ExportParts {
  readonly tables: readonly Table[]
  /** The release and its newest migration. */
  readonly release: string
  readonly schema: string
  /** Texts of files that go along, by name. */
  readonly kept?: Readonly<Record<string, string>>
  /** Called as rows are written, with the rows of the table so far. */
  readonly onRows?: (table: string, rows: number) => void
}

/** Characters of a piece, at least. */
const PIECE_CHARS = 64 * 1024
/** Characters of the rows that are fetched at once, if they are as long as those before. */
const FETCH_CHARS = 1024 * 1024
/** Rows fetched at once, at most: each may hold megabytes of a log. */
const FETCH_ROWS = 100

/**
 * Writes all rows of the tables as of one moment. Rows are fetched as fast as `sink` takes them, so that
 * memory does not grow with their number. Nothing is changed.
 */
export async function exportRows(
  connection: OneConnection,
  sink: Sink,
  { tables, release, schema, kept = {}, onRows = () => {} }: ExportParts,
): Promise<ExportSummary> {
  const lines = new LineWriter(sink)
  const counts: Record<string, number> = {}
  await connection.rows('begin isolation level repeatable read, read only')
  try {
    await ownSettings(connection)
    const head: Head = headOf(tables, release, schema)
    await lines.write(head)
    for (const [file, text] of Object.entries(kept)) await lines.write({ file, text })
    for (const table of tables) {
      await lines.write({ table: table.name })
      counts[table.name] = await exportTable(connection, table, lines, (rows) => onRows(table.name, rows))
    }
    return await lines.end(counts)
  } finally {
    await connection.rows('rollback').catch(() => {})
  }
}

/**
 * Lets every server print and read values in one way, and take its time, in spite of its own settings. Holds
 * until the transaction ends.
 */
export async function ownSettings(connection: OneConnection): Promise<void> {
  const settings = {
    timezone: 'UTC',
    datestyle: 'ISO, YMD',
    intervalstyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  }
  for (const [name, value] of Object.entries(settings)) {
    await connection.rows(`set local ${name} = '${value}'`)
  }
}

// In the order of the bytes of the key, so that the order depends on no server's collation.
function selectOf({ name, columns }: Table): string {
  const order = columns
    .filter(({ isKey }) => isKey)
    .map((column) => `t.${quoted(column.name)}${column.isText ? ' collate "C"' : ''}`)
  const values = columns.map((column) => `t.${quoted(column.name)}::text`)
  return `select ${values.join(', ')} from ${quoted(name)} t order by ${order.join(', ')}`
}

async function exportTable(
  connection: OneConnection,
  table: Table,
  lines: LineWriter,
  onRows: (rows: number) => void,
): Promise<number> {
  const names = table.columns.map(({ name }) => name)
  let count = 0
  let fetched = FETCH_ROWS
  await connection.rows(`declare svc_export no scroll cursor for ${selectOf(table)}`)
  for (;;) {
    const rows = await connection.rows<Record<string, string | null>>(`fetch ${fetched} from svc_export`)
    if (rows.length === 0) break
    const before = lines.chars
    for (const row of rows) await lines.write(names.map((name) => row[name] ?? null))
    const perRow = (lines.chars - before) / rows.length
    fetched = Math.max(1, Math.min(FETCH_ROWS, Math.floor(FETCH_CHARS / perRow)))
    count += rows.length
    onRows(count)
  }
  await connection.rows('close svc_export')
  return count
}

/** Lines of JSON, gathered to pieces; the digest of all of them goes into the last. */
class LineWriter {
  readonly #sink: Sink
  readonly #hash = createHash('sha256')
  #piece = ''
  /** Characters written so far. */
  chars = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  async write(line: object): Promise<void> {
    const text = `${JSON.stringify(line)}\n`
    this.#piece += text
    this.chars += text.length
    if (this.#piece.length >= PIECE_CHARS) await this.#flush()
  }

  async end(rows: Readonly<Record<string, number>>): Promise<ExportSummary> {
    await this.#flush()
    const end = { rows, sha256: this.#hash.digest('hex') }
    await this.#sink(`${JSON.stringify({ end })}\n`)
    return end
  }

  async #flush(): Promise<void> {
    const piece = this.#piece
    this.#piece = ''
    this.#hash.update(piece)
    await this.#sink(piece)
  }
}
