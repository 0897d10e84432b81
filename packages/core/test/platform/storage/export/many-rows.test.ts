import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { POSTGRES, SERVER } from '../backends.ts'
import { asked, emptyDatabase } from './export-bench.ts'

interface Figures {
  readonly residentMib: number
  readonly fileMib: number
}

/** Carries so many chunks of a log from one database to another, in a process of its own. */
async function carried(chunks: number): Promise<Figures> {
  await using from = await emptyDatabase(SERVER)
  await using to = await emptyDatabase(SERVER)
  await asked(
    from,
    `insert into job_log_chunks
       select 'job_' || n / 100, n % 100, 1, 0, 1, 1, 1, 1, convert_to(repeat(md5(n::text), 8), 'UTF8'), null, now()
       from generate_series(1, ${chunks}) n`,
  )
  const program = join(import.meta.dirname, 'many-rows.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=svc-source',
    // Without limits the heap grows because nothing forces it to be collected.
    '--max-old-space-size=40',
    '--max-semi-space-size=1',
    program,
    from.url,
    to.url,
  ])
  const [{ count = 0 } = {}] = await asked<{ count: number }>(
    to,
    'select count(*)::int as count from job_log_chunks',
  )
  expect(count).toBe(chunks)
  // The look for secrets in a test's remains would take longer than all of this.
  for (const database of [from, to]) await asked(database, 'truncate job_log_chunks')
  return JSON.parse(stdout) as Figures
}

test(`memory does not grow with the rows on ${POSTGRES}: 200,000 chunks of a log take what 20,000 take`, async () => {
  const [few, many] = [await carried(20_000), await carried(200_000)]
  expect(many.fileMib).toBeGreaterThan(few.fileMib + 80)
  expect(many.residentMib - few.residentMib).toBeLessThan(40)
}, 240_000)
