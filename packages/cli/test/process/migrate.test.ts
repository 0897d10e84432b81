import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc } from '../support/svc-process.ts'

let cwd: string
let database: TestDatabase

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

interface Status {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
  readonly drifted: readonly string[]
}

const parts = () => ({ cwd, env: { DATABASE_URL: database.url } })

test('Eight processes that migrate at once all end with code 0, and everything is applied once', async () => {
  const processes = Array.from({ length: 8 }, () => runSvc(['migrate', '--json'], parts()))
  const all = (await Promise.all(processes)).map(({ out }) => JSON.parse(out) as Status)
  for (const each of all) expect(each).toEqual(all[0])
  expect(all[0]).toMatchObject({ pending: [], drifted: [] })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>('select name from migrations order by id')
  await client.end()
  expect(rows.map(({ name }) => name)).toEqual(all[0]?.applied)
}, 120_000)

test('--status and --plan change nothing: what is pending stays so until migrate runs', async () => {
  const before = await runSvc(['migrate', '--status', '--json'], parts())
  expect(before.code).toBe(1)
  const { applied, pending } = JSON.parse(before.out) as Status
  expect(applied).toEqual([])
  const plan = await runSvc(['migrate', '--plan'], parts())
  expect(plan.code).toBe(0)
  for (const name of pending) expect(plan.out).toContain(`-- ${name}\n`)
  expect(plan.out).toContain('create table')
  expect(JSON.parse((await runSvc(['migrate', '--status', '--json'], parts())).out)).toEqual(
    JSON.parse(before.out),
  )
  expect(await jsonHere<Status>(['migrate'], parts())).toEqual({ applied: pending, pending: [], drifted: [] })
  expect((await runSvc(['migrate', '--status'], parts())).code).toBe(0)
}, 60_000)

test('A command on a database that has not been migrated says so with code 1', async () => {
  const { code, err } = await runSvc(['jobs', 'list'], parts())
  expect(code).toBe(1)
  expect(err).toContain('the database has not been migrated: run svc migrate')
}, 60_000)

test('Without DATABASE_URL there is nothing to migrate, which is code 2', async () => {
  const { code, err } = await runSvc(['migrate'], { cwd })
  expect(code).toBe(2)
  expect(err).toContain('DATABASE_URL is not set')
})
