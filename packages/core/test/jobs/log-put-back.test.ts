// A process that saw a later end of a log must not write behind the end of the copy that the database was put
// back from.
import { afterAll, expect, it } from '@jest/globals'
import { migrateDriver } from '../../src/database/migrator.ts'
import { type EmbeddedDriver, pgliteDriver } from '../../src/database/orm.ts'
import { hold, logWriter } from './log-writer.ts'

let driver: EmbeddedDriver
afterAll(() => driver.close())

it('lines go on where the log ends in a database that was put back from a copy, on PGlite', async () => {
  driver = await pgliteDriver({}, [])
  await migrateDriver(driver)
  const append = logWriter((statement, params) => driver.hotRows(statement, params))
  const query = (text: string, params: unknown[] = []) => driver.rows({ name: '', text }, params)
  const jobs = [await hold({ query }, 'job_a')]
  await append(jobs)
  expect(await append(jobs)).toMatchObject([{ stored: 1, next: 2 }])
  const copy = await driver.dump()
  expect(await append(jobs)).toMatchObject([{ stored: 1, next: 3 }])
  await driver.close()
  driver = await pgliteDriver({ snapshot: copy }, [])
  expect(await append(jobs)).toMatchObject([{ stored: 1, next: 3 }])
  expect(await query('select first_line from job_log_chunks order by 1')).toEqual(
    [0, 1, 2].map((first_line) => ({ first_line })),
  )
})
