import { type Colour, paint, plain } from './terminal.ts'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly colour?: (row: Row) => Colour | undefined
}

/** Properties of the output on which a text depends. */
export interface Page {
  readonly colour: boolean
  readonly now: Date
  /** Whether people read it at a terminal; absent: programs read it from a pipe. */
  readonly isTerminal?: boolean
}

const GAP = '  '

/** Returns rows under titles, aligned; no cell holds anything that controls a terminal. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], page: Page): string {
  const cells = rows.map((row) => columns.map((column) => plain(column.text(row)) || '-'))
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((row) => width(row[at] ?? ''))),
  )
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

/** Returns names and values, one pair a line, the values aligned; an absent value has no line. */
export function facts(entries: readonly (readonly [string, string | undefined])[], page: Page): string {
  const known = entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined)
  const room = Math.max(...known.map(([name]) => name.length))
  const named = (name: string) => (page.colour ? paint(name.padEnd(room), 'dim') : name.padEnd(room))
  return known.map(([name, value]) => `${named(name)}${GAP}${plain(value)}\n`).join('')
}

const width = (text: string): number => Array.from(text).length

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

/** `42 s`, `3 m 5 s`, `2 h 10 m`, `4 d 3 h`: the two largest units. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts: string[] = []
  let rest = whole
  for (const [unit, size] of UNITS) {
    if (rest >= size) parts.push(`${Math.floor(rest / size)} ${unit}`)
    rest %= size
  }
  parts.push(`${rest} s`)
  return parts
    .filter((part) => !part.startsWith('0 ') || whole === 0)
    .slice(0, 2)
    .join(' ')
}

/** Returns how long ago a unix second was: `3 m ago`; `never` for 0. */
export function ago(unixSeconds: number | undefined, page: Page): string {
  if (!unixSeconds) return 'never'
  const seconds = Math.floor(page.now.getTime() / 1000) - unixSeconds
  if (seconds < 2) return 'just now'
  return `${duration(seconds).split(' ').slice(0, 2).join(' ')} ago`
}

/** A unix second as ISO-8601 and how long ago it was. */
export const instant = (unixSeconds: number | undefined, page: Page): string | undefined =>
  unixSeconds === undefined
    ? undefined
    : `${new Date(unixSeconds * 1000).toISOString().replace('.000', '')} (${ago(unixSeconds, page)})`

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  succeeded: 'green',
  ok: 'green',
  online: 'green',
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
