// Rows that others move between two statements of a batch: each caller is told its own outcome.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { LEASE_SECONDS } from '@svc/core/ports'
import { migrateDriver } from '../../../src/platform/database/migrator.ts'
import { pgliteDriver } from '../../../src/platform/database/orm.ts'
import type { Rows } from '../../../src/platform/database/session.ts'
import { leaseBatch } from '../../../src/work/jobs/job-lease-sql.ts'
import { repeatClaim } from '../../../src/work/jobs/job-repeat-sql.ts'
import { report } from '../../../src/work/jobs/job-report-sql.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'
import { hold, logWriter } from './log-writer.ts'

/** A database, as hot statements and somebody else reach it. */
interface Reached extends AsyncDisposable {
  readonly rows: Rows
  query(text: string, params?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

async function onPglite(): Promise<Reached> {
  const driver = await pgliteDriver({})
  await migrateDriver(driver)
  return {
    rows: (statement, params) => driver.hotRows(statement, params),
    query: async (text, params = []) => ({ rows: await driver.rows({ name: '', text }, params) }),
    [Symbol.asyncDispose]: () => driver.close(),
  }
}

async function onPostgres(): Promise<Reached> {
  const scene = await SqlScene.open()
  return {
    rows: await scene.hotRows(),
    query: (text, params) => scene.client.query(text, params),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  }
}

// In no order, and none that sorting would give.
const NUMBERS = [5, 2, 8, 3, 9, 1, 7, 4, 6]
const jobId = (number: number) => `job_${number}`
const all = NUMBERS.map(jobId)

describe.each([
  ['PGlite', onPglite],
  [POSTGRES, onPostgres],
])('rows that move between two statements, on %s', (_, open) => {
  let database: Reached
  /** The statements that were sent, and the first array of each: jobs or licenses. */
  let sent: (readonly [string, unknown])[]

  beforeAll(async () => {
    database = await open()
  })
  beforeEach(async () => {
    sent = []
    await database.query('truncate jobs cascade')
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
  })

  /** Has somebody else do something ahead of the first statement of a name. */
  const moving =
    (before: Readonly<Record<string, () => Promise<unknown>>>): Rows =>
    async (statement, params) => {
      if (!sent.some(([name]) => name === statement.name)) await before[statement.name]?.()
      sent.push([statement.name, params?.[0]])
      return database.rows(statement, params)
    }

  const move = (set: string, ...numbers: readonly number[]) =>
    database.query(`update jobs set ${set} where id = any($1)`, [numbers.map(jobId)])

  it('words that have something to write after all are written, and no others', async () => {
    for (const id of all) await hold(database, id)
    const others = async () => {
      await move(`available_at = now()`, 3, 7)
      await move(`state = 'failed', finished_at = now()`, 8)
      await move(`claimed_by = 'other'`, 1)
      for (const number of [2, 4, 6, 9])
        await move(`cancel_requested_at = now(), cancel_reason = 'because of ${number}'`, number)
    }
    const write = { licenseId: 'lic', fingerprint: 'fp', attempt: 1, leaseSeconds: LEASE_SECONDS }
    const word = { ...write, state: 'running' as const, exitCode: undefined, error: undefined }
    const asked = all.map((id) => ({ write: { ...word, jobId: id }, now: undefined }))
    const outcomes = await report(asked, moving({ 'job-read-back': others }))
    const told = NUMBERS.map((number) => {
      const isToStop = [2, 4, 6, 9].includes(number)
      const cancel = isToStop ? { at: expect.any(Date), reason: `because of ${number}` } : undefined
      const job = { id: jobId(number), state: number === 8 ? 'failed' : 'running', cancel }
      return number === 1 ? undefined : expect.objectContaining({ job: expect.objectContaining(job) })
    })
    expect(outcomes).toEqual(told)
    expect(sent.map(([name]) => name)).toEqual(['job-report', 'job-read-back', 'job-report'])
    expect(sent.at(-1)?.[1]).toEqual([jobId(3), jobId(7)])
    const { rows } = await database.query(`select id from jobs where available_at <= now()`)
    expect(rows).toEqual([])
  })

  it('hosts whose jobs others took hear so, and the others get theirs', async () => {
    for (const number of NUMBERS)
      await database.query(
        `insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds)
          values ($1, 'lic', 'prune', '{}', $2, 3, 3600)`,
        [jobId(number), `host-${number}`],
      )
    const lost = [8, 1, 4]
    const others = () =>
      move(`state = 'claimed', claimed_by = 'other', available_at = now() + interval '300 s'`, ...lost)
    const asked = NUMBERS.map((number) => ({
      request: {
        licenseId: 'lic',
        fingerprint: `host-${number}`,
        leaseSeconds: LEASE_SECONDS,
        claimKey: undefined,
      },
      now: undefined,
    }))
    const rows = moving({ 'job-claim': others })
    const got = (await leaseBatch(asked, rows, false)).map((answer) => answer?.job?.id)
    expect(got).toEqual(NUMBERS.map((number) => (lost.includes(number) ? undefined : jobId(number))))
  })

  it('lines of logs that others wrote to go on behind them, and each hears of its own job', async () => {
    for (const id of all) await hold(database, id)
    const stop = () => move(`cancel_requested_at = now(), cancel_reason = 'moved'`, 4, 2)
    const append = logWriter(moving({ 'job-log-append': () => elsewhere(), 'job-log-settle': stop }))
    const other = logWriter(database.rows)
    // Job n gets n lines of somebody else, where n is even.
    const elsewhere = async () => {
      for (let line = 0; line < Math.max(...NUMBERS); line += 1)
        await other(NUMBERS.filter((number) => number % 2 === 0 && line < number).map(jobId))
    }
    const outcomes = await append(all)
    const next = NUMBERS.map((number) => (number % 2 === 0 ? number + 1 : 1))
    expect(outcomes.map((outcome) => outcome?.next)).toEqual(next)
    expect(outcomes.map((outcome) => outcome?.job.cancel?.reason)).toEqual(
      NUMBERS.map((number) => ([4, 2].includes(number) ? 'moved' : undefined)),
    )
  })
})

describe(`a claim that is repeated on ${POSTGRES}`, () => {
  let scene: SqlScene
  let rows: Rows

  beforeAll(async () => {
    scene = await SqlScene.open()
    rows = await scene.hotRows()
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  it('gets no job whose claim key another replica changes meanwhile, and leaves its lease as it is', async () => {
    await hold(scene.client, 'job_1', `state = 'claimed', claim_key = 'first', available_at = now()`)
    const request = { licenseId: 'lic', fingerprint: 'fp', claimKey: 'first', leaseSeconds: LEASE_SECONDS }
    const other = await scene.connect()
    await other.query('begin')
    await other.query(`update jobs set claim_key = 'second' where id = 'job_1'`)
    const found = repeatClaim({ request, now: undefined }, rows)
    let isDone = false
    void found.finally(() => {
      isDone = true
    })
    while (!isDone && (await scene.client.query('select from pg_locks where not granted')).rowCount === 0);
    await other.query('commit')
    expect(await found).toBeUndefined()
    const { rows: stored } = await scene.client.query(
      `select claim_key, available_at <= now() as is_over from jobs where id = 'job_1'`,
    )
    expect(stored).toEqual([{ claim_key: 'second', is_over: true }])
  })
})
