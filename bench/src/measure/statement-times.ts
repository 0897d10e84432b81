import type { Hotspots } from './hotspots.ts'

/**
 * Time that PostgreSQL spent on executing statements, in microseconds by what they do. Parsing and commits
 * are no part of it.
 */
export type StatementTimes = Hotspots

/** A line of `pg_stat_statements`. */
export interface CountedStatement {
  readonly query: string
  readonly micros: number
}

// Neither `for update` nor `do update set` nor `for no key update` writes to what follows.
const WRITES =
  /\b(insert into|(?<!\b(?:for|do|key) )update|delete from) (?:only )?([a-z_][\w.]*|"[^"]+"(?:\."[^"]+")?)/g
const READS = /\bfrom (?!unnest\b|generate_series\b)([a-z_][\w.]*)/
const FIRST_CTE = /^with (?:recursive )?(\w+)/

/** What a statement writes, or else reads; those that begin with a query of their own also by its name. */
export function labelOf(query: string): string {
  const text = query.replaceAll(/\s+/g, ' ').trim().toLowerCase()
  const writes = new Set([...text.matchAll(WRITES)].map(([, verb, table]) => `${verb} ${table}`))
  const [, read] = READS.exec(text) ?? []
  const verb = text.split(' ')[0] ?? ''
  const does = writes.size > 0 ? [...writes].join(', ') : read === undefined ? verb : `select from ${read}`
  const [, first] = FIRST_CTE.exec(text) ?? []
  return first === undefined ? does : `${first}: ${does}`
}

/** Sums statements by label, those that took most first. */
export function timesOf(statements: readonly CountedStatement[]): StatementTimes {
  const micros = new Map<string, number>()
  for (const { query, micros: more } of statements) {
    const label = labelOf(query)
    micros.set(label, (micros.get(label) ?? 0) + more)
  }
  return Object.fromEntries([...micros].toSorted(([, a], [, b]) => b - a))
}

/** What came to `before` until `after`, for each of `operations`. */
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
