import type pg from 'pg'
import { othersEnded } from './others-ended.ts'

const RUNS = 4

interface Plan {
  readonly 'Index Name'?: string
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly Plan[]
}

/**
 * Pages that a statement touches, including the catalog and triggers before a row, and the indexes that its
 * plan reads.
 */
export interface Touched {
  readonly pages: number
  readonly indexes: readonly string[]
}

const indexesOf = (plan: Plan): readonly string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
]

/** Returns the pages and indexes of one run of `statement` according to EXPLAIN; the run is rolled back. */
async function run(client: pg.Client, statement: string): Promise<Touched> {
  await othersEnded(client)
  await client.query('begin')
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
    `explain (analyze, buffers, timing off, format json) ${statement}`,
  )
  await client.query('rollback')
  const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {}
  return {
    pages: (plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? Number.NaN),
    indexes: indexesOf(plan),
  }
}

/**
 * Returns the result of the run that touches the fewest pages. The first run plans, and any run may have to
 * read the catalog again, some 400 pages: other suites make tables on the same server, and a long statement
 * misses their announcements.
 */
export async function touched(client: pg.Client, statement: string): Promise<Touched> {
  const runs: Touched[] = []
  while (runs.length < RUNS) runs.push(await run(client, statement))
  return runs.reduce((least, other) => (other.pages < least.pages ? other : least))
}
