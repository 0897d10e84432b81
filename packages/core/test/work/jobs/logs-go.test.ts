// Logs are deleted with their jobs, whichever statement deletes those.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import type { Rows } from '../../../src/platform/database/session.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'
import { hold, logWriter } from './log-writer.ts'

let scene: SqlScene
let host: pg.Client

beforeAll(async () => {
  scene = await SqlScene.open()
  host = await scene.connect()
})
afterAll(() => scene[Symbol.asyncDispose]())

const JOBS = ['job_a', 'job_b', 'job_c']
/**
 * Lines of a running job are written by one insert; lines of a job that has not begun, by another statement.
 */
const STATES = { job_a: 'running', job_b: 'claimed', job_c: 'running' }

beforeEach(async () => {
  await scene.client.query('delete from jobs')
  for (const [id, state] of Object.entries(STATES)) await hold(scene.client, id, `state = '${state}'`)
})

const rows: Rows = async ({ name, text }, params) =>
  (await host.query({ name, text, values: [...params] })).rows

async function logsOf(): Promise<readonly string[]> {
  const { rows: found } = await scene.client.query<{ job_id: string }>(
    'select distinct job_id from job_log_chunks order by 1',
  )
  return found.map(({ job_id }) => job_id)
}

const pidOf = async (client: pg.Client) =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid

/** Resolves once the connection waits for a lock that `holder` has. */
async function blocked(pid: number | undefined, holder: pg.Client): Promise<void> {
  while ((await holder.query('select from pg_locks where not granted and pid = $1', [pid])).rowCount === 0);
}

describe(`a deleted job on ${POSTGRES}`, () => {
  it('takes its log along, and those of others stay', async () => {
    await logWriter(rows)(JOBS)
    await scene.client.query("delete from jobs where id in ('job_a', 'job_c')")
    expect(await logsOf()).toEqual(['job_b'])
  })

  it.each(['job_a', 'job_b'])('takes lines along that were under way: %s', async (id) => {
    const operator = await pidOf(scene.client)
    await host.query('begin')
    await logWriter(rows)(JOBS)
    const gone = scene.client.query('delete from jobs where id = $1', [id])
    await blocked(operator, host)
    await host.query('commit')
    await gone
    expect(await logsOf()).toEqual(JOBS.filter((each) => each !== id))
  })

  it.each(['job_a', 'job_b'])('gets no lines from a host that has waited for its end: %s', async (id) => {
    const writer = await pidOf(host)
    await scene.client.query('begin')
    await scene.client.query('delete from jobs where id = $1', [id])
    const outcomes = logWriter(rows)(JOBS)
    await blocked(writer, scene.client)
    await scene.client.query('commit')
    expect(await outcomes).toMatchObject(JOBS.map((each) => (each === id ? undefined : { stored: 1 })))
    expect(await logsOf()).toEqual(JOBS.filter((each) => each !== id))
  })

  it.each(
    ['repeatable read', 'serializable'].flatMap((isolation) =>
      ['delete from jobs', 'truncate jobs cascade'].map((statement) => [isolation, statement]),
    ),
  )(
    'stays in a transaction that is %s and could not see all of its log: %s',
    async (isolation, statement) => {
      await logWriter(rows)(JOBS)
      await scene.client.query(`begin isolation level ${isolation}`)
      await expect(scene.client.query(statement)).rejects.toThrow(/read committed/)
      await scene.client.query('rollback')
      expect(await logsOf()).toEqual(JOBS)
    },
  )

  it.each([
    'truncate jobs cascade',
    'truncate jobs, job_log_chunks cascade',
    'truncate job_log_chunks, jobs cascade',
  ])('takes its log along when all jobs are taken away at once: %s', async (statement) => {
    await logWriter(rows)(JOBS)
    await scene.client.query(statement)
    expect(await logsOf()).toEqual([])
  })
})
