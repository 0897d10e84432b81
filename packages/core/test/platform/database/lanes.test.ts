// Tests of a hot connection's plans, and of the connection itself, when statements fail.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { LANE_OPTIONS, Lanes } from '../../../src/platform/database/lanes.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

let database: TestDatabase
let pool: pg.Pool
let lanes: Lanes
/** Milliseconds that each read of the lanes' clock adds to it, which makes statements seem slow. */
let lookMs = 0
let elapsedMs = 0
let other: pg.Client

beforeAll(async () => {
  database = await migratedDatabase(SERVER)
  pool = new pg.Pool({ connectionString: database.url, max: 1, options: LANE_OPTIONS })
  pool.on('connect', (client) => client.on('error', () => {}))
  lanes = new Lanes(
    () => pool.connect(),
    () => {
      elapsedMs += lookMs
      return elapsedMs
    },
  )
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
})
afterAll(async () => {
  await pool.end()
  await other.end()
  await database[Symbol.asyncDispose]()
})

const backend = async () =>
  (await lanes.rows<{ pid: number }>({ name: 'pid', text: 'select pg_backend_pid() as pid' }, []))[0]?.pid
// In a table of one page this plan is as good as any other.
const FIND = {
  name: 'find',
  text: 'select j.state from unnest($1::text[]) as q (id) join jobs j on j.id = q.id',
}

interface Explained {
  readonly 'QUERY PLAN': readonly { readonly Plan: Readonly<Record<string, number>> }[]
}

/** Returns the pages that finding one job touches under the plan that the connection keeps. */
async function pages(): Promise<number> {
  const text = `explain (analyze, buffers, timing off, format json)
    execute "${FIND.name}" ('{job_7}')`
  const [row] = await lanes.rows<Explained>({ name: 'explain', text }, [])
  const plan = row?.['QUERY PLAN'][0]?.Plan ?? {}
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
}

describe(`connections for hot statements on ${POSTGRES}`, () => {
  it('a plan that was made for an empty table is made anew when it has grown, statistics or not', async () => {
    await other.query('alter table jobs set (autovacuum_enabled = off)')
    await other.query('vacuum analyze jobs')
    await lanes.rows(FIND, [['job_7']])
    await other.query(`insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds)
      select 'job_' || n, 'lic_a', 'prune', '{}', case when n > 99990 then '' else 'other' end, 3, 3600 from generate_series(1, 100000) n`)
    // A statement that seems quick keeps its plan; one that seems slow is planned again.
    expect(await pages()).toBeGreaterThan(1000)
    lookMs = 25
    elapsedMs += 1000
    expect(await pages()).toBeGreaterThan(1000)
    lookMs = 0
    // A run that reads the catalog again, since other suites have made tables, touches some 400 more pages.
    const anew = [await pages(), await pages(), await pages()]
    expect(Math.min(...anew)).toBeLessThanOrEqual(64)
  })

  it('a refused statement does not cost the connection', async () => {
    const before = await backend()
    await expect(lanes.rows({ name: 'bad', text: 'select 1 / $1::int' }, [0])).rejects.toMatchObject({
      code: '22012',
    })
    expect(await backend()).toBe(before)
  })

  it('a statement whose columns a migration has changed is prepared anew', async () => {
    const statement = { name: 'every', text: 'select * from changing' }
    await other.query('create table changing (one int)')
    await lanes.rows(statement, [])
    await other.query('alter table changing alter column one type text')
    await expect(lanes.rows(statement, [])).rejects.toMatchObject({ code: '0A000' })
    expect(await lanes.rows(statement, [])).toEqual([])
  })

  it('a connection that is cut under a statement fails that one only', async () => {
    const running = expect(
      lanes.rows({ name: 'long', text: 'select pg_sleep(20)' }, []),
    ).rejects.toMatchObject({
      code: '57P01',
    })
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity
      where query = 'select pg_sleep(20)' and state = 'active'`
    while ((await other.query(cut)).rowCount === 0);
    await running
    expect(await backend()).toBeGreaterThan(0)
  })
})
