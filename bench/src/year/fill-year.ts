import { withClient } from '../fleet.ts'
import { type YearSizes, yearRows } from './year-rows.ts'

/** Fills a migrated database with a year of a large fleet (docs/performance.md). */
export async function fillYear(url: string, sizes: YearSizes): Promise<void> {
  await withClient(url, async (client) => {
    // Nobody waits for the news of triggers; unique indexes are checked all the same.
    await client.query('set session_replication_role = replica')
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'")
    for (const text of yearRows(sizes)) await client.query(text)
    await client.query('vacuum analyze')
  })
}
