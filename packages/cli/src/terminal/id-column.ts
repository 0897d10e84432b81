import type { Column, Page } from './render.ts'

/** Fewest characters of an id's end that a table shows. */
const LEAST_CHARS = 6

/**
 * The column of ids. At a terminal it shows the end of each, long enough to tell the rows apart: commands
 * take it in place of the id. A pipe gets whole ids.
 */
export function idColumn<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { columns }: Page,
): Column<Row> {
  const chars = columns === undefined ? undefined : charsApart(rows.map(({ id }) => id))
  return { title: 'ID', text: ({ id }) => (chars === undefined ? id : id.slice(-chars)) }
}

function charsApart(ids: readonly string[]): number {
  const different = new Set(ids)
  const longest = Math.max(LEAST_CHARS, ...ids.map((id) => id.length))
  for (let chars = LEAST_CHARS; chars < longest; chars += 1) {
    if (new Set([...different].map((id) => id.slice(-chars))).size === different.size) return chars
  }
  return longest
}
