import { Problem } from '../../../kernel/problem.ts'
import type { Table } from './exported-tables.ts'

/*
 * An export is a text in lines of JSON. The first is the head; then come kept files, each a line; then for
 * each table, in the order of the head, a line that names it and one line for each row, an array of the
 * values as PostgreSQL prints them; and the tail. Equal data gives the same bytes.
 */

/** The format that this release writes and reads. */
const FORMAT = 1

/** The first line of an export. */
export interface Head {
  readonly svc: 'export'
  readonly format: number
  /** The release that wrote it. */
  readonly release: string
  /** The newest migration of the schema. */
  readonly schema: string
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[]
}

/** The number of rows by table, and the SHA-256 of all lines before the tail in hexadecimal. */
export interface ExportSummary {
  readonly rows: Readonly<Record<string, number>>
  readonly sha256: string
}

/** A row: the values as PostgreSQL prints them, in the order of the head's columns. */
export type Row = readonly (string | null)[]

/** A line behind the head. */
export type Line =
  | { readonly file: string; readonly text: string }
  | { readonly table: string }
  | { readonly row: Row }
  | { readonly end: ExportSummary }

/** Returns the head of an export of `tables`. */
export const headOf = (tables: readonly Table[], release: string, schema: string): Head => ({
  svc: 'export',
  format: FORMAT,
  release,
  schema,
  tables: tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) })),
})

/** Whether `found` is an object. */
const isObject = (found: unknown): found is Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null && !Array.isArray(found)

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Reads the head of an export and compares it with the one that this database would write.
 * @throws Problem `invalid-input` when the file is none of svc's, `conflict` when another release wrote it
 */
export function requireHead(line: string, own: Head): void {
  const head = jsonIn(line)
  if (!isObject(head) || head.svc !== 'export') {
    throw new Problem('invalid-input', {
      detail: 'this is no file that svc export or svc backup has written',
    })
  }
  const [release, schema] = [String(head.release), String(head.schema)]
  if (head.format !== own.format || schema !== own.schema) {
    throw new Problem('conflict', {
      detail:
        `svc ${release} wrote this file with the schema ${schema}, and this is svc ${own.release} with ` +
        `${own.schema}: import it with a release that has that schema, then upgrade the database`,
    })
  }
  if (JSON.stringify(head.tables) !== JSON.stringify(own.tables)) throw damaged('its tables are others')
}

/**
 * Reads a line behind the head.
 * @throws Problem `invalid-input` for a line that no export has
 */
export function parseLine(line: string): Line {
  const found = jsonIn(line)
  if (Array.isArray(found) && found.every((value) => value === null || typeof value === 'string')) {
    return { row: found }
  }
  if (isObject(found)) {
    if (typeof found.table === 'string') return { table: found.table }
    if (typeof found.file === 'string' && typeof found.text === 'string') {
      return { file: found.file, text: found.text }
    }
    const { end } = found
    if (isObject(end) && isObject(end.rows) && typeof end.sha256 === 'string') return { end: end as never }
  }
  throw damaged('a line cannot be read')
}

/** The file was cut or changed. `reason` names no value of it. */
export const damaged = (reason: string, cause?: unknown): Problem =>
  new Problem(
    'invalid-input',
    { detail: `the file is damaged (${reason}): nothing is imported; take another copy of it` },
    { cause },
  )
