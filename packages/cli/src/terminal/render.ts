import { duration } from './duration.ts'
import { type Colour, paint, plain } from './terminal.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly colour?: (row: Row) => Colour | undefined
  /**
   * The way a column makes room on a narrow terminal. `leaves`: the first column that goes. `shrinks`: its
   * texts are cut at the end, once no column is left to go. Absent: it stays as it is.
   */
  readonly narrow?: 'leaves' | 'shrinks'
}

/** Properties of the output that a text depends on. */
export interface Page {
  readonly colour: boolean
  readonly now: Date
  /** Columns of the terminal; tables are fitted to them; absent: as wide as their texts. */
  readonly columns?: number
}

const GAP = '  '

/** Returns rows under titles, aligned; no cell holds anything that controls a terminal. */
export function table<Row>(all: readonly Column<Row>[], rows: readonly Row[], page: Page): string {
  const measured = all.map((column) => measure(column, rows))
  const fitted = page.columns === undefined ? measured : fit(measured, page.columns)
  const columns = fitted.map(({ column }) => column)
  const widths = fitted.map((each) => each.width)
  const cells = rows.map((_, index) => fitted.map(({ texts, width: room }) => cut(texts[index] ?? '', room)))
  const line = (texts: readonly string[], tint: (text: string, at: number) => string) =>
    texts
      .map((text, at) => {
        const room = at === texts.length - 1 ? 0 : (widths[at] ?? 0) - width(text)
        return `${tint(text, at)}${' '.repeat(Math.max(0, room))}`
      })
      .join(GAP)
  const head = line(
    columns.map((column) => column.title),
    (text) => (page.colour ? paint(text, 'dim') : text),
  )
  const body = cells.map((row, index) =>
    line(row, (text, at) => {
      const colour = columns[at]?.colour?.(rows[index] as Row)
      return page.colour ? paint(text, colour) : text
    }),
  )
  return `${[head, ...body].join('\n')}\n`
}

interface Measured<Row> {
  readonly column: Column<Row>
  readonly texts: readonly string[]
  readonly width: number
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const texts = rows.map((row) => plain(column.text(row)) || '-')
  return { column, texts, width: Math.max(column.title.length, ...texts.map(width)) }
}

/** A shorter text says too little. */
const LEAST = 12

/** Drops and shrinks columns until the table has at most `room` columns of text, as far as they allow it. */
function fit<Row>(measured: readonly Measured<Row>[], room: number): readonly Measured<Row>[] {
  const left = [...measured]
  const excess = () => left.reduce((sum, each) => sum + each.width + GAP.length, -GAP.length) - room
  for (let at = 0; at < left.length && excess() > 0; ) {
    if (left[at]?.column.narrow === 'leaves') left.splice(at, 1)
    else at += 1
  }
  for (let over = excess(); over > 0; over = excess()) {
    const widest = left.reduce((best, each, at) => {
      const isWider = each.column.narrow === 'shrinks' && each.width > (left[best]?.width ?? LEAST)
      return isWider ? at : best
    }, -1)
    const found = left[widest]
    if (found === undefined) break
    left[widest] = { ...found, width: Math.max(LEAST, found.column.title.length, found.width - over) }
    if (left[widest]?.width === found.width) break
  }
  return left
}

function cut(text: string, room: number): string {
  const letters = Array.from(text)
  return letters.length <= room ? text : `${letters.slice(0, room - 1).join('')}…`
}

/** Returns names and values, one pair a line, the values aligned; an absent value has no line. */
export function facts(entries: readonly (readonly [string, string | undefined])[], page: Page): string {
  const known = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined)
  const room = Math.max(...known.map(([name]) => name.length))
  const named = (name: string) => (page.colour ? paint(name.padEnd(room), 'dim') : name.padEnd(room))
  return known.map(([name, value]) => `${named(name)}${GAP}${plain(value)}\n`).join('')
}

const width = (text: string): number => Array.from(text).length

/** Returns how long ago a unix second was: `3m ago`; `never` for 0. */
export function ago(unixSeconds: number | undefined, page: Page): string {
  if (!unixSeconds) return 'never'
  const seconds = Math.floor(page.now.getTime() / 1000) - unixSeconds
  if (seconds < 2) return 'just now'
  return `${duration(seconds).split(' ')[0]} ago`
}

/** Returns when something ends: `never`, `in 3d 4h`, or how long ago it ended. */
export function expiry(unixSeconds: number | undefined, page: Page): string {
  if (unixSeconds === undefined) return 'never'
  const left = unixSeconds - page.now.getTime() / 1000
  return left <= 0 ? ago(unixSeconds, page) : `in ${duration(left)}`
}

/** The last unix second that is a date to JavaScript: hosts may report any number. */
const LAST_DATE = 8.64e12

/** A unix second as ISO-8601; as the number that it is when that is no date. */
export const isoSecond = (unixSeconds: number): string =>
  Math.abs(unixSeconds) > LAST_DATE ? `${unixSeconds} s` : new Date(unixSeconds * 1000).toISOString()

/** A unix second as ISO-8601 and how long ago it was. */
export const instant = (unixSeconds: number | undefined, page: Page): string | undefined =>
  unixSeconds === undefined
    ? undefined
    : `${isoSecond(unixSeconds).replace('.000', '')} (${ago(unixSeconds, page)})`

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  succeeded: 'green',
  ok: 'green',
  online: 'green',
  verified: 'green',
  degraded: 'yellow',
  busy: 'green',
  active: 'green',
  failed: 'red',
  revoked: 'red',
  offline: 'red',
  firing: 'red',
  acknowledged: 'yellow',
  resolved: 'green',
  drifted: 'red',
  unreachable: 'red',
  paused: 'yellow',
  suspended: 'yellow',
  draining: 'yellow',
  running: 'blue',
  claimed: 'blue',
}

/**
 * Returns the colour of a job's, host's or license's state; none for a state that is neither good nor bad.
 */
export const stateColour = (state: string): Colour | undefined => STATE_COLOURS[state]
