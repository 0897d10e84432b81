import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const RUNS = 4
/** Longest wait before a run for transactions of other suites. */
const WAIT_MS = 5000

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

/**
 * Waits, 5 s at most, until no transaction on the server is older than this call: versions of rows that lie
 * dead can only then be passed over and cleared. A transaction in any database keeps them.
 */
export async function othersEnded(client: pg.Client): Promise<void> {
  const own = await client.query<{ id: string }>('select pg_current_xact_id()::text as id')
  const ended = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as all'
  const end = Date.now() + WAIT_MS
  while (Date.now() < end) {
    const { rows } = await client.query<{ all: boolean }>(ended, [own.rows[0]?.id])
    if (rows[0]?.all === true) return
    await sleep(20)
  }
}

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
