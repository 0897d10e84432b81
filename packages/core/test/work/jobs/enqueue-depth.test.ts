// Storing a job costs the same at every length of the queue, even on a connection that planned when the queue
// was empty.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { touched } from '../../platform/database/touched-pages.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const JOBS = 3000

let scene: SqlScene

beforeAll(async () => {
  scene = await SqlScene.open()
  // Autovacuum would refresh the statistics only after a minute; the tests measure that first minute.
  await scene.client.query('alter table jobs set (autovacuum_enabled = off)')
})
afterAll(() => scene[Symbol.asyncDispose]())

const insert = (id: string, from: number, to: number) =>
  `insert into jobs (id, license_id, kind, payload, serial_key, max_attempts, timeout_seconds)
    select '${id}' || n, 'lic', 'prune', '{}', '${id}' || n, 3, 3600 from generate_series(${from}, ${to}) n`

const pagesOf = async (statement: string) => (await touched(scene.client, statement)).pages

describe(`on ${POSTGRES}`, () => {
  it('the first job of an app is stored in the same few pages whatever waits in its license', async () => {
    await scene.client.query(insert('job_early_', 1, 20))
    await scene.client.query('vacuum analyze jobs')
    expect(await pagesOf(insert('job_one_', 1, 1))).toBeGreaterThan(0)
    await scene.client.query(insert('job_many_', 1, JOBS))
    expect(await pagesOf(insert('job_two_', 1, 1))).toBeLessThan(100)
  }, 60_000)

  it('so is one that waits for another of its app', async () => {
    const again = insert('job_third_', 1, 1).replaceAll(`'job_third_' || n, 3`, `'job_many_7', 3`)
    expect(await pagesOf(again)).toBeLessThan(120)
    await scene.client.query(again)
    const { rows } = await scene.client.query(`select contended from jobs where serial_key = 'job_many_7'`)
    expect(rows).toEqual([{ contended: true }, { contended: true }])
  })
})
