/** Bytes of JSON in a page of rows that are large one by one; a page has one row at least. */
export const PAGE_BYTES = 1024 * 1024
/**
 * Rows that a page of a list by a rare value looks through at most. The next page goes on behind them, so
 * that no page reads on to the end of a history.
 */
export const LOOKED_ROWS = 10_000
/** Rows that are read at once, so that large ones never lie in memory together. */
const ROWS_AT_ONCE = 50

/** How a page is read, from the newest row to older ones. */
export interface PageReading<Row, Cursor> {
  readonly limit: number
  /** The row before which the page begins; undefined: with the newest. */
  readonly before: Cursor | undefined
  readonly read: (limit: number, before: Cursor | undefined) => Promise<readonly Row[]>
  readonly cursorOf: (row: Row) => Cursor
  readonly bytes?: number
  readonly rowsAtOnce?: number
}

/** Reads `limit` rows, or fewer when those have so many bytes. `next`: where the next page begins. */
export async function readPage<Row, Cursor>({
  limit,
  before,
  read,
  cursorOf,
  bytes = PAGE_BYTES,
  rowsAtOnce = ROWS_AT_ONCE,
}: PageReading<Row, Cursor>): Promise<{ readonly rows: readonly Row[]; readonly next: Cursor | undefined }> {
  const rows: Row[] = []
  let left = bytes
  for (let from = before; ; ) {
    const asked = Math.min(rowsAtOnce, limit - rows.length + 1)
    const found = await read(asked, from)
    for (const row of found) {
      const size = Buffer.byteLength(JSON.stringify(row))
      if (rows.length === limit || (rows.length > 0 && size > left)) return { rows, next: from }
      rows.push(row)
      left -= size
      from = cursorOf(row)
    }
    if (found.length < asked) return { rows, next: undefined }
  }
}
