// Rows that every host asks for and hardly any host has are read from partial indexes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import { LANE_OPTIONS } from '../../../src/platform/database/lanes.ts'
import { HEARTBEATS } from '../../../src/work/agents/agents-store-sql.ts'
import { PROBE } from '../../../src/work/jobs/job-probe-sql.ts'
import { touched } from '../../platform/database/touched-pages.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

/** Statements with the parameters of a returning host. */
const ASKED = {
  [PROBE.name]: [PROBE, `'{lic}', '{fp}', '{null}', '{null}', '{null}'`],
  [HEARTBEATS.name]: [HEARTBEATS, `'{lic}', '{null}', '{fp}'${`, '{null}'`.repeat(13)}`],
} as const

/** Jobs and hosts of the license that none of these requests concern. */
const MANY = 20_000
/** One more level in each index. */
const LEVELS = 4

let scene: SqlScene
let client: pg.Client

beforeAll(async () => {
  scene = await SqlScene.open(LANE_OPTIONS)
  client = scene.client
  for (const table of ['jobs', 'agents'])
    await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await client.query(`insert into agents (license_id, fingerprint) values ('lic', 'fp')`)
})
afterAll(() => scene[Symbol.asyncDispose]())

async function pages(): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {}
  for (const [name, [, params]] of Object.entries(ASKED))
    found[name] = (await touched(client, `execute "${name}" (${params})`)).pages
  return found
}

describe(`by a plan that was made while there was nothing, on ${POSTGRES}`, () => {
  it('a host reads as much behind the finished jobs of its license, and beside drained hosts', async () => {
    for (const [{ name, text }] of Object.values(ASKED)) await client.query(`prepare "${name}" as ${text}`)
    const before = await pages()
    await client.query(
      `insert into jobs (id, license_id, kind, payload, state, finished_at, claimed_by, cancel_requested_at, max_attempts, timeout_seconds)
        select 'job_' || lpad(n::text, 26, '0'), 'lic', 'prune', '{}', 'failed', now(), 'fp', now(), 3, 3600 from generate_series(1, ${MANY}) n`,
    )
    await client.query(
      `insert into agents (license_id, fingerprint, drained_at) select 'lic', 'other' || n, now() from generate_series(1, ${MANY}) n`,
    )
    const after = await pages()
    const dearer = Object.keys(ASKED).filter(
      (name) => (after[name] ?? Number.NaN) > (before[name] ?? 0) + LEVELS,
    )
    expect({ dearer, before, after }).toMatchObject({ dearer: [] })
  })
})
