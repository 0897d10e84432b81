// Two transactions wait for each other: PostgreSQL ends one of them, here the service's statement.
import { expect, it } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { postgresDriver } from '../../../src/platform/database/orm.ts'
import { retryDeadlock } from '../../../src/platform/database/statement-retry.ts'
import { translated } from '../../../src/platform/database/unavailable.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const BLOCKED = `select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and application_name = 'svc'`

async function dead<T>(
  work: (driver: Awaited<ReturnType<typeof postgresDriver>>) => Promise<T>,
): Promise<{ readonly result: T; readonly counts: readonly number[] }> {
  await using database = await testDatabase(SERVER)
  const driver = await postgresDriver(database.url, 2)
  const rival = new pg.Client({ connectionString: database.url })
  const watcher = new pg.Client({ connectionString: database.url })
  await Promise.all([rival.connect(), watcher.connect()])
  try {
    await rival.query('create table pair (id int primary key, count int not null)')
    await rival.query('insert into pair values (1, 0), (2, 0)')
    // The rival waits longer before it looks for a deadlock, so the service's connection finds it and is
    // ended.
    await rival.query("set deadlock_timeout = '20s'")
    await rival.query('begin')
    await rival.query('update pair set count = count + 10 where id = 2')
    const working = work(driver)
    working.catch(() => {})
    while ((await watcher.query(BLOCKED)).rowCount === 0);
    await rival.query('update pair set count = count + 10 where id = 1')
    await rival.query('commit')
    const result = await working
    const { rows } = await rival.query<{ count: number }>('select count from pair order by id')
    return { result, counts: rows.map(({ count }) => count) }
  } finally {
    await Promise.all([rival.end(), watcher.end()])
    await driver.close()
  }
}

const BOTH = {
  name: 'both',
  text: `with chosen as (select id from pair where id <= $1 order by id for update)
    update pair set count = count + 1 from chosen where pair.id = chosen.id returning pair.id`,
}

it.each(['rows', 'hotRows'] as const)(
  `a statement that was ended for a deadlock is run again (%s), on ${POSTGRES}`,
  async (how) => {
    const { result, counts } = await dead((driver) => driver[how](BOTH, [2]))
    expect(result).toHaveLength(2)
    expect(counts).toEqual([11, 11])
  },
  30_000,
)

it.each([
  ['deadlocks', '40P01', 3, [100, 200]],
  ['a refusal of another kind', '23505', 1, []],
] as const)(
  'after %s (%s) a statement is run %i times at most, and lets the others go first',
  async (_what, code, most, waits) => {
    const done: unknown[] = []
    const refused = Object.assign(new Error('refused'), { code })
    const statement = async () => {
      done.push('statement')
      throw refused
    }
    const pause = async (ms: number) => void done.push(ms)
    await expect(retryDeadlock(statement, pause)).rejects.toBe(refused)
    expect(done).toEqual(['statement', ...waits.flatMap((ms) => [ms, 'statement'])])
    expect(done.filter((each) => each === 'statement')).toHaveLength(most)
  },
)

it('a transaction that was ended for one is told as unavailable, and has changed nothing', async () => {
  const { result, counts } = await dead((driver) =>
    driver
      .em()
      .transactional((em) => em.getKysely().executeQuery(CompiledQuery.raw(BOTH.text, [2])))
      .catch((error: unknown) => translated(error)),
  )
  expect(result).toMatchObject({ code: 'unavailable' })
  expect(counts).toEqual([10, 10])
}, 30_000)
