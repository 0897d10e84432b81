// Nearly every chunk of a log takes one statement, and the smaller one of two.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Rows } from '../../../src/platform/database/session.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'
import { hold, logWriter } from './log-writer.ts'

let scene: SqlScene
let rows: Rows
let said: string[]

beforeAll(async () => {
  scene = await SqlScene.open()
  rows = await scene.hotRows()
})
afterAll(() => scene[Symbol.asyncDispose]())

/** A process that writes to logs, and its statements for the last lines. */
function writer() {
  const append = logWriter((statement, params) => {
    said.push(statement.name)
    return rows(statement, params)
  })
  return (jobIds: readonly string[]) => {
    said = []
    return append(jobIds)
  }
}

const held = (id: string, set?: string) => hold(scene.client, id, set)

const WAITERS = 'select from pg_locks where not granted'

const APPEND = 'job-log-append'
const SETTLE = 'job-log-settle'

describe(`lines of logs on ${POSTGRES}`, () => {
  it('of jobs that run take one statement from the first line on', async () => {
    const append = writer()
    const jobs = [await held('job_a'), await held('job_b')]
    for (const next of [1, 2, 3]) {
      const job = { state: 'running', cancel: undefined }
      const outcome = { job, accepted: 1, stored: 1, next }
      expect(await append(jobs)).toEqual([outcome, outcome])
      expect(said).toEqual([APPEND])
    }
  })

  it.each([
    ['has not begun', "state = 'claimed'", { state: 'claimed' }],
    ['is asked to stop', 'cancel_requested_at = now()', { state: 'running', cancel: {} }],
    ['has not much of its lease left', "available_at = now() + interval '239 s'", { state: 'running' }],
    ['has ended', "state = 'succeeded', finished_at = now()", { state: 'succeeded' }],
  ])('of a job that %s are settled, and those of its neighbour are not', async (name, set, job) => {
    const append = writer()
    const id = name.replaceAll(' ', '_')
    const jobs = [await held(`job_${id}`, set), await held(`job_beside_${id}`)]
    expect(await append(jobs)).toMatchObject([
      { job, stored: 1 },
      { job: { state: 'running' }, stored: 1 },
    ])
    expect(said).toEqual([APPEND, SETTLE])
    const { rows } = await scene.client.query(`select job_id from job_log_chunks where job_id like '%${id}'`)
    expect(rows).toHaveLength(2)
  })

  it('to a log that another wrote to are settled twice: where it stands, and then', async () => {
    const jobs = [await held('job_shared')]
    const [one, other] = [writer(), writer()]
    await one(jobs)
    expect(await other(jobs)).toMatchObject([{ stored: 1, next: 2 }])
    expect(said).toEqual([APPEND, SETTLE, SETTLE])
    await other(jobs)
    expect(said).toEqual([APPEND])
  })

  it.each(['running', 'claimed'])(
    'wait for whoever takes a %s job over, and are not stored then',
    async (state) => {
      const append = writer()
      const id = await held(`job_lost_${state}`, `state = '${state}'`)
      await scene.client.query('begin')
      await scene.client.query(`update jobs set claimed_by = 'other', attempt = 2 where id = $1`, [id])
      const outcomes = append([id])
      let isDone = false
      void outcomes.finally(() => {
        isDone = true
      })
      while (!isDone && (await scene.client.query(WAITERS)).rowCount === 0);
      await scene.client.query('commit')
      expect(await outcomes).toEqual([undefined])
      const { rowCount } = await scene.client.query('select from job_log_chunks where job_id = $1', [id])
      expect(rowCount).toBe(0)
    },
  )

  it('of a stranger are not stored', async () => {
    const append = writer()
    expect(await append([await held('job_strange', "claimed_by = 'other'")])).toEqual([undefined])
    expect(said).toEqual([APPEND, SETTLE])
  })
})
