// Hosts that come too late cost one statement for all of them, not three for each.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { LEASE_SECONDS } from '@svc/core/ports'
import type { Rows } from '../../../src/platform/database/session.ts'
import { leaseBatch } from '../../../src/work/jobs/job-lease-sql.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const PROBE = 'job-probe'
const CLAIM = 'job-claim'
const HOSTS = ['a', 'b', 'c', 'd']

let scene: SqlScene
let rows: Rows
let said: string[]

beforeAll(async () => {
  scene = await SqlScene.open()
  rows = await scene.hotRows()
})
afterAll(() => scene[Symbol.asyncDispose]())

const job = (number: number, set: Readonly<Record<string, unknown>> = {}) => {
  const row = {
    id: `job_${number}`,
    license_id: 'lic',
    kind: 'prune',
    payload: '{}',
    max_attempts: 3,
    timeout_seconds: 60,
    ...set,
  }
  const columns = Object.keys(row)
  return scene.client.query(
    `insert into jobs (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
}

/**
 * Returns the jobs that hosts get from one batch of claims. Each `before` runs on another connection ahead of
 * the statement of its name.
 */
async function claims(
  hosts: readonly string[],
  before: Readonly<Record<string, () => Promise<unknown>>> = {},
) {
  said = []
  const asked = hosts.map((fingerprint) => ({
    request: { licenseId: 'lic', fingerprint, leaseSeconds: LEASE_SECONDS, claimKey: undefined },
    now: undefined,
  }))
  const spied: Rows = async (statement, params) => {
    if (!said.includes(statement.name)) await before[statement.name]?.()
    said.push(statement.name)
    return rows(statement, params)
  }
  const answers = await leaseBatch(asked, spied, false)
  return answers.map((answer) => answer?.job?.id)
}

const takenByOthers = () =>
  scene.client.query(
    `update jobs set state = 'claimed', claimed_by = 'other', available_at = now() + interval '300 s'`,
  )

describe(`claims on ${POSTGRES}`, () => {
  it('of a crowd whose jobs others take meanwhile are told so by one more look', async () => {
    for (const number of [1, 2, 3, 4]) await job(number)
    expect(await claims(HOSTS, { [CLAIM]: takenByOthers })).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(said).toEqual([PROBE, CLAIM, PROBE])
  })

  it('of a crowd behind a job that is lost for good are settled, and get those behind it', async () => {
    await scene.client.query('truncate jobs cascade')
    const past = new Date(Date.now() - 60_000)
    await job(1, {
      state: 'running',
      claimed_by: 'gone',
      claimed_at: past,
      available_at: past,
      attempt: 3,
      lost: 2,
    })
    await job(2)
    const got = await claims(['a', 'b', 'c'])
    expect(got.filter((id) => id !== undefined)).toEqual(['job_2'])
    expect(said.slice(0, 3)).toEqual([PROBE, CLAIM, PROBE])
    const { rows: stored } = await scene.client.query('select id, state from jobs order by id')
    expect(stored).toEqual([
      { id: 'job_1', state: 'failed' },
      { id: 'job_2', state: 'claimed' },
    ])
  })
})
