// Logs lie in months, which go as a whole. Months of the past are made as those of a database that is older.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { firstIdAt } from '@svc/core/ports'
import { openStorage } from '@svc/core/sql'
import { FakeClock, testDatabase, testPlane } from '@svc/testing'
import pg from 'pg'
import { MIGRATIONS } from '../../../src/platform/database/migrations/index.ts'
import { migrateDriver } from '../../../src/platform/database/migrator.ts'
import { postgresDriver } from '../../../src/platform/database/orm.ts'
import type { Rows } from '../../../src/platform/database/session.ts'
import { APPEND, SETTLE } from '../../../src/work/jobs/job-log-append-sql.ts'
import { READ } from '../../../src/work/jobs/job-logs-sql.ts'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'
import { hold, logWriter } from '../jobs/log-writer.ts'

const DAY_MS = 86_400_000
const now = new Date()
const monthFrom = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months))
const inDays = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS)
const nameOf = (month: Date) => `job_log_chunks_${month.toISOString().slice(0, 7).replace('-', '_')}`
const BEFORE = 'job_log_chunks_before'
const OTHER = 'job_log_chunks_other'
/** A month that is over for longer than logs are kept. */
const OLD = monthFrom(-3)

let scene: SqlScene
let storage: Storage
let rows: Rows
let made: number

beforeEach(async () => {
  scene = await SqlScene.open()
  storage = await openStorage({ url: scene.url })
  rows = await scene.hotRows()
  made = 0
})
afterEach(async () => {
  await storage[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

const ask = async <Row>(text: string, params: unknown[] = []) =>
  (await scene.client.query(text, params)).rows as Row[]
const partsOf = async () =>
  (await ask<{ part: string }>('select part::text from svc_log_parts()')).map(({ part }) => part)
const partOf = async (id: string) =>
  (
    await ask<{ part: string }>(
      'select distinct tableoid::regclass::text as part from job_log_chunks where job_id = $1',
      [id],
    )
  ).map(({ part }) => part)

/** Lets the database be older: the part of all that was before ends with this month. */
async function beginWith(...months: readonly Date[]): Promise<void> {
  await ask(`drop table ${BEFORE}`)
  for (const month of months) {
    const until = new Date(month)
    until.setUTCMonth(month.getUTCMonth() + 1)
    await ask(`create table ${nameOf(month)} partition of job_log_chunks
      for values from ('${firstIdAt('job', month)}') to ('${firstIdAt('job', until)}')`)
  }
}

/** A job that was made at this time and runs, or ended; it has a line. */
async function job(at: Date, ended?: Date): Promise<string> {
  made += 1
  const id = `${firstIdAt('job', at).slice(0, -4)}${String(made).padStart(4, '0')}`
  await hold(scene.client, id)
  await logWriter(rows)([id])
  if (ended !== undefined)
    await ask(`update jobs set state = 'succeeded', finished_at = $2 where id = $1`, [id, ended])
  return id
}
/** The parts that a new database has. */
const AHEAD = [nameOf(monthFrom(1)), nameOf(monthFrom(2)), OTHER]
const linesOf = async (id: string) => (await storage.jobs.logs(id, 0, 99_999)).length

describe(`months of logs on ${POSTGRES}`, () => {
  it('are two ahead, and all that was before is one part', async () => {
    expect(await partsOf()).toEqual([BEFORE, ...AHEAD])
    await storage.retention.makeLogMonths()
    expect(await partsOf()).toHaveLength(4)
    const ids = [inDays(now, 0), monthFrom(1), inDays(monthFrom(2), 3), monthFrom(3)]
    const parts = [BEFORE, nameOf(monthFrom(1)), nameOf(monthFrom(2)), OTHER]
    for (const [at, each] of ids.entries()) expect(await partOf(await job(each))).toEqual([parts[at]])
  })

  it('begin where the service says that a time begins', async () => {
    for (const at of [new Date(0), now, monthFrom(1), new Date('2199-12-31T23:59:59.999Z')]) {
      const [row] = await ask<{ id: string }>('select svc_first_job_id($1) as id', [at])
      expect(row?.id).toBe(firstIdAt('job', at))
    }
  })

  it('is made when it is missing, with the logs that came before it and nothing else', async () => {
    await ask(`drop table ${nameOf(monthFrom(1))}`)
    const early = await job(inDays(monthFrom(1), 2))
    const ahead = await job(inDays(monthFrom(9), 2))
    expect(await partOf(early)).toEqual([OTHER])
    expect(await storage.retention.logMonthsFault()).toBe('logs-ahead')
    await storage.retention.makeLogMonths()
    expect([await partOf(early), await partOf(ahead)]).toEqual([[nameOf(monthFrom(1))], [OTHER]])
    expect([await linesOf(early), await linesOf(ahead)]).toEqual([1, 1])
    await logWriter(rows)([early])
    expect(await linesOf(early)).toBe(2)
    await ask('delete from jobs where id = $1', [ahead])
    expect(await storage.retention.logMonthsFault()).toBeUndefined()
  })

  it('cannot be made for other times', async () => {
    const make = (month: string) => ask('select svc_make_partition($1::date)', [month])
    const days = [monthFrom(-1), monthFrom(3), inDays(monthFrom(1), 1)].map((day) => day.toISOString())
    for (const day of days) await expect(make(day)).rejects.toThrow('from this one to the second from now')
    expect(await partsOf()).toHaveLength(4)
  })

  it('goes when its jobs ended long ago, and jobs that run or ended since keep their logs', async () => {
    const next = monthFrom(-2)
    await beginWith(OLD, next, monthFrom(-1))
    const gone = await job(inDays(OLD, 5), inDays(OLD, 6))
    const late = await job(inDays(OLD, 5), inDays(now, -2))
    const busy = await job(inDays(OLD, 7))
    const younger = await job(inDays(next, 1), inDays(next, 2))
    await ask('analyze')
    const before = inDays(next, 1)
    expect(await storage.retention.dropLogMonths(new Date(before.getTime() - 1), true)).toEqual({
      logs: 0,
      since: OLD,
    })
    expect(await storage.retention.dropLogMonths(before, true)).toEqual({ logs: 1, since: next })
    expect(await partsOf()).not.toContain(nameOf(OLD))
    expect(await Promise.all([gone, late, busy, younger].map(linesOf))).toEqual([0, 1, 1, 1])
    expect([await partOf(late), await partOf(busy)]).toEqual([[OTHER], [OTHER]])
    await logWriter(rows)([busy])
    expect(await linesOf(busy)).toBe(2)
    expect(await storage.retention.logMonthsFault()).toBeUndefined()
    // They go by themselves once they are past.
    const { ids } = await storage.retention.pastLogs({ after: '', before: inDays(now, -1), limit: 9 })
    expect(ids).toContain(late)
    expect(await storage.retention.removeLogs([late])).toBe(1)
  })

  it('goes without its logs where each goes by itself', async () => {
    await beginWith(OLD, monthFrom(-2))
    const [past, late] = [await job(inDays(OLD, 5), inDays(OLD, 6)), await job(inDays(OLD, 5), now)]
    await storage.retention.dropLogMonths(inDays(monthFrom(-2), 1), false)
    expect(await partsOf()).not.toContain(nameOf(OLD))
    expect([await linesOf(past), await linesOf(late)]).toEqual([1, 1])
  })

  it('stays while it would leave much behind, and a later one goes', async () => {
    await beginWith(OLD, monthFrom(-2), monthFrom(-1))
    const busy = await job(inDays(OLD, 7))
    const past = await job(inDays(monthFrom(-2), 1), inDays(monthFrom(-2), 2))
    await ask(
      `insert into job_log_chunks select job_id, n, attempt, n, n + 1, 1, 1, n, body, null, now()
      from job_log_chunks, generate_series(1, 10000) n where job_id = $1`,
      [busy],
    )
    await storage.retention.dropLogMonths(inDays(monthFrom(-1), 1), true)
    expect(await partsOf()).toEqual(expect.arrayContaining([nameOf(OLD), nameOf(monthFrom(-1))]))
    expect([await linesOf(busy), await linesOf(past)]).toEqual([10_001, 0])
  })

  it('goes a day after its end at the earliest, whatever the caller says', async () => {
    await beginWith(monthFrom(-1), monthFrom(0))
    const just = await job(inDays(now, 0), now)
    await storage.retention.dropLogMonths(new Date(now.getTime() + 400 * DAY_MS), true)
    expect(await partsOf()).toContain(nameOf(monthFrom(0)))
    expect(await linesOf(just)).toBe(1)
  })

  it('waits for the holder of a lock, without holding up new lines for long', async () => {
    await beginWith(OLD, monthFrom(-2))
    const busy = await job(now)
    const reader = await scene.connect()
    await reader.query('begin; select from job_log_chunks limit 1')
    const dropping = storage.retention.dropLogMonths(inDays(monthFrom(-2), 1), true)
    const start = performance.now()
    await logWriter(rows)([busy])
    expect(performance.now() - start).toBeLessThan(5000)
    expect(await dropping).toMatchObject({ logs: 0 })
    expect(await partsOf()).toContain(nameOf(OLD))
    await reader.query('rollback')
    await storage.retention.dropLogMonths(inDays(monthFrom(-2), 1), true)
    expect(await partsOf()).not.toContain(nameOf(OLD))
  })

  it.each([
    { logDays: 30, isBare: true },
    // A month that is not over for so long, with a log that is past it, on each day of a month.
    { logDays: now.getUTCDate() > 14 ? 7 : 27, isBare: false },
  ])(
    'a log of a month that is not over stays by the month, and not by days: $logDays',
    async ({ logDays, isBare }) => {
      const env = { SERVICE_LOG_RETENTION_DAYS: String(logDays) }
      await using faked = testPlane({ storage, clock: new FakeClock(now), env })
      const last = monthFrom(logDays === 7 ? 0 : -1)
      await beginWith(OLD, last)
      const [over, past] = [await job(OLD, inDays(OLD, 1)), await job(last, inDays(last, 0.5))]
      const run = await faked.plane.operations.run('retention.run', {}, 'ann')
      expect(run).toMatchObject({ more: false })
      expect([await linesOf(over), await linesOf(past)]).toEqual([0, isBare ? 1 : 0])
      expect(await partsOf()).not.toContain(nameOf(OLD))
      const { logsBefore } = await storage.retention.state()
      expect(logsBefore).toEqual(isBare ? last : inDays(now, -logDays))
    },
  )

  it('an archive is written from each log, before its month goes', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-months-'))
    try {
      const env = { SERVICE_ARCHIVE_DIR: join(dir, 'archive'), SERVICE_JOB_RETENTION_DAYS: '200' }
      await using faked = testPlane({ storage, clock: new FakeClock(now), env })
      await beginWith(OLD, monthFrom(-1))
      const over = await job(OLD, inDays(OLD, 1))
      const run = () => faked.plane.operations.run('retention.run', {}, 'ann')
      await run()
      await run()
      expect([await linesOf(over), await partsOf()]).toEqual([0, [nameOf(monthFrom(-1)), ...AHEAD]])
      const logs = await faked.plane.operations.run('jobs.logs', { job: over }, 'ann')
      expect(logs).toMatchObject({ logs: [{ line: 'x' }], log_gone: true })
    } finally {
      await rm(dir, { recursive: true })
    }
  })
})

it('a database from before keeps its logs, those of clocks that were ahead too', async () => {
  await using old = await testDatabase(SERVER)
  const driver = await postgresDriver(old.url, 1)
  await using client = Object.assign(new pg.Client(old.url), {
    async [Symbol.asyncDispose](this: pg.Client) {
      await this.end()
      await driver.close()
    },
  })
  await client.connect()
  await migrateDriver(
    driver,
    MIGRATIONS.filter(({ name }) => name < '0053'),
  )
  const ids = [firstIdAt('job', OLD), firstIdAt('job', monthFrom(1)), firstIdAt('job', monthFrom(7)), 'job_x']
  for (const id of ids)
    await client.query(`insert into job_log_chunks values ($1, 0, 1, 0, 1, 1, 1, 1, 'x', 'key', now())`, [id])
  await migrateDriver(driver)
  const { rows: found } = await client.query(
    'select job_id, tableoid::regclass::text as part from job_log_chunks order by job_id',
  )
  const parts = [BEFORE, nameOf(monthFrom(1)), OTHER, OTHER]
  expect(found).toEqual(ids.map((id, at) => ({ job_id: id, part: parts[at] })))
  for (const id of ids)
    await expect(
      client.query(`insert into job_log_chunks values ($1, 1, 1, 0, 1, 1, 1, 1, 'x', 'key', now())`, [id]),
    ).rejects.toMatchObject({ code: '23505' })
})

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly Plan[]
}
const readBy = (plan: Plan): readonly string[] => [
  ...((plan['Actual Loops'] ?? 0) > 0 && plan['Relation Name']?.startsWith('job_log_chunks_')
    ? [plan['Relation Name']]
    : []),
  ...(plan.Plans ?? []).flatMap(readBy),
]

it('a statement for a log reads its month and no other, with a plan for any job', async () => {
  const id = await job(inDays(monthFrom(1), 3))
  await ask('set plan_cache_mode = force_generic_plan')
  const owner = [`{${id}}`, '{lic}', '{fp}', '{1}', '{null}', '{300}', '{key}'].map((text) => `'${text}'`)
  const chunk = ["'{1}'", "'{1}'", "'{2}'", "'{1}'", "'{1}'", "'{2}'", "'{1}'", "'{2}'", "'[]'"]
  for (const [{ name, text }, params] of [
    [APPEND, [...owner, ...chunk]],
    [SETTLE, [...owner, ...chunk]],
    [READ, [`'${id}'`, '0']],
  ] as const) {
    await ask(`prepare "${name}" (${params.map(() => 'unknown').join(', ')}) as ${text}`)
    await ask('begin')
    const [row] = await ask<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
      `explain (analyze, format json) execute "${name}" (${params.join(', ')})`,
    )
    await ask('rollback')
    const plan = row?.['QUERY PLAN'][0].Plan ?? {}
    expect([name, [...new Set(readBy(plan))]]).toEqual([name, [nameOf(monthFrom(1))]])
  }
})
