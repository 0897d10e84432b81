// A claim costs the same at every length of the queue, and while an old snapshot keeps dead rows from being
// cleared.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { LEASE_SECONDS } from '@svc/core/ports'
import type pg from 'pg'
import { LANE_OPTIONS } from '../../../src/platform/database/lanes.ts'
import type { Statement } from '../../../src/platform/database/session.ts'
import { CLAIM } from '../../../src/work/jobs/job-claim-sql.ts'
import { leaseBatch } from '../../../src/work/jobs/job-lease-sql.ts'
import { PROBE } from '../../../src/work/jobs/job-probe-sql.ts'
import { touched } from '../../platform/database/touched-pages.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

let scene: SqlScene
let client: pg.Client

beforeAll(async () => {
  scene = await SqlScene.open(LANE_OPTIONS)
  client = scene.client
  await client.query('alter table jobs set (autovacuum_enabled = off)')
})
afterAll(() => scene[Symbol.asyncDispose]())

/** Adds jobs to one license, due in the order of their numbers, for `target`. */
const enqueue = (from: number, to: number, target: string) =>
  client.query(
    `insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds, available_at)
      select 'job_' || $3 || lpad(n::text, 9, '0'), 'lic', 'prune', '{}', $3, 3, 3600, now() - interval '1 day' + n * interval '1 ms'
      from generate_series($1::int, $2::int) n`,
    [from, to, target],
  )

/** Returns the pages that a statement touches under a plan made now. */
async function explained({ name, text }: Statement, params: string) {
  await client.query(`prepare "${name}" as ${text}`)
  const found = await touched(client, `execute "${name}" (${params})`)
  await client.query(`deallocate "${name}"`)
  return found
}

// The index of a long queue is a level higher, and a look goes down twice.
const LEVELS = 2

const hit = () =>
  explained(
    CLAIM,
    `array['lic'], array['fp'], array[null], array[300], array[null::timestamptz], array[null]`,
  )
const look = (license: string) =>
  explained(PROBE, `array['${license}'], array['fp'], array[null], array[null::timestamptz], array[null]`)

describe(`a claim on ${POSTGRES}`, () => {
  it('touches as much behind 100,000 jobs as behind 1,000, whether statistics know of them or not', async () => {
    const none = await look('lic')
    await enqueue(1, 1000, '')
    const [few, fewNone] = [await hit(), await look('other')]
    await enqueue(1001, 100_000, '')
    const unknown = [await hit(), await look('lic'), await look('other')]
    await client.query('analyze jobs')
    const known = [await hit(), await look('lic'), await look('other')]
    for (const [many, some, nothing] of [unknown, known]) {
      expect(many?.indexes).toContain('jobs_due')
      expect(many?.pages).toBeLessThanOrEqual(1.3 * few.pages)
      expect(some?.pages).toBeLessThanOrEqual(32)
      expect(nothing?.pages).toBeLessThanOrEqual(1.3 * fewNone.pages + LEVELS)
    }
    expect(none.pages).toBeLessThanOrEqual(32)
  })

  it('that finds nothing touches as much behind 100,000 jobs for other hosts as in an empty table', async () => {
    await client.query('truncate jobs cascade')
    const none = await look('lic')
    await enqueue(1, 100_000, 'another')
    expect((await look('lic')).pages).toBeLessThanOrEqual(1.3 * none.pages + LEVELS)
    await client.query('analyze jobs')
    expect((await look('lic')).pages).toBeLessThanOrEqual(1.3 * none.pages + LEVELS)
  })
})

describe(`claims beside a snapshot that stays open, on ${POSTGRES}`, () => {
  const CLAIMS = 3000
  const AT_ONCE = 100

  it('looking for work does not walk over what was claimed', async () => {
    await client.query('truncate jobs cascade')
    await enqueue(1, CLAIMS + 1000, '')
    const dump = await scene.connect()
    await dump.query('begin isolation level repeatable read')
    await dump.query('select count(*) from jobs')
    const rows = await scene.hotRows()
    const claimed = new Set<string | undefined>()
    for (let round = 0; round < CLAIMS / AT_ONCE; round += 1) {
      const asked = Array.from({ length: AT_ONCE }, (_, n) => ({
        request: {
          licenseId: 'lic',
          fingerprint: `host-${n}`,
          leaseSeconds: LEASE_SECONDS,
          claimKey: undefined,
        },
        now: undefined,
      }))
      for (const answer of await leaseBatch(asked, rows, false)) claimed.add(answer?.job?.id)
    }
    expect(claimed.size).toBe(CLAIMS)
    await client.query('analyze jobs')
    expect((await look('lic')).pages).toBeLessThanOrEqual(32)
  })
})
