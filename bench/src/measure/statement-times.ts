import type { Hotspots } from './hotspots.ts'

/**
 * Time that PostgreSQL spent on executing statements, in microseconds by label. Parsing and commits are not
 * included.
 */
export type StatementTimes = Hotspots

/** A row of `pg_stat_statements`. */
export interface CountedStatement {
  readonly query: string
  readonly micros: number
}

// After `for update`, `for no key update` and `do update` no written table follows.
const WRITES =
  /\b(insert into|(?<!\b(?:for|do|key) )update|delete from) (?:only )?([a-z_][\w.]*|"[^"]+"(?:\."[^"]+")?)/g
const READS = /\bfrom (?!unnest\b|generate_series\b)([a-z_][\w.]*)/
const FIRST_CTE = /^with (?:recursive )?(\w+)/

/**
 * Returns the label of a statement: the tables that it writes, else the table that it reads. The name of a
 * first CTE is put in front.
 */
export function labelOf(query: string): string {
  const text = query.replaceAll(/\s+/g, ' ').trim().toLowerCase()
  const writes = new Set([...text.matchAll(WRITES)].map(([, verb, table]) => `${verb} ${table}`))
  const [, read] = READS.exec(text) ?? []
  const verb = text.split(' ')[0] ?? ''
  const does = writes.size > 0 ? [...writes].join(', ') : read === undefined ? verb : `select from ${read}`
  const [, first] = FIRST_CTE.exec(text) ?? []
  return first === undefined ? does : `${first}: ${does}`
}

/** Sums statements by label, largest first. */
export function timesOf(statements: readonly CountedStatement[]): StatementTimes {
  const micros = new Map<string, number>()
  for (const { query, micros: more } of statements) {
    const label = labelOf(query)
    micros.set(label, (micros.get(label) ?? 0) + more)
  }
  return Object.fromEntries([...micros].toSorted(([, a], [, b]) => b - a))
}

/** Returns the time spent between `before` and `after` by label, divided by `operations`. */
export function timesBetween(
  before: StatementTimes,
  after: StatementTimes,
  operations: number,
): StatementTimes {
  const grown = Object.entries(after).map(
    ([label, micros]) => [label, (micros - (before[label] ?? 0)) / operations] as const,
  )
  return Object.fromEntries(grown.filter(([, micros]) => micros > 0))
}
