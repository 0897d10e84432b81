// A hot statement must not touch more pages as the queue grows: pages read under the generic plan, counted by
// PostgreSQL.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import type { Statement } from '../../../src/platform/database/session.ts'
import { CLAIM, CLAIM_OF_KINDS } from '../../../src/work/jobs/job-claim-sql.ts'
import { END_ALL, END_HEAD, END_HEAD_OF_KINDS, TIME_OUT } from '../../../src/work/jobs/job-end-sql.ts'
import { LAST_CLAIM, LISTS, LISTS_OF_STATE } from '../../../src/work/jobs/job-list-sql.ts'
import { APPEND, SETTLE } from '../../../src/work/jobs/job-log-append-sql.ts'
import { READ } from '../../../src/work/jobs/job-logs-sql.ts'
import { PROBE, PROBE_OF_KINDS } from '../../../src/work/jobs/job-probe-sql.ts'
import { RENEW } from '../../../src/work/jobs/job-renew-sql.ts'
import { REPEAT } from '../../../src/work/jobs/job-repeat-sql.ts'
import { READ_BACK, REPORT } from '../../../src/work/jobs/job-report-sql.ts'
import { touched } from '../../platform/database/touched-pages.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const WAITING = 50_000
const FINISHED = 50_000

let scene: SqlScene
let client: pg.Client

beforeAll(async () => {
  scene = await SqlScene.open('-c plan_cache_mode=force_generic_plan')
  client = scene.client
  await fill()
})
afterAll(() => scene[Symbol.asyncDispose]())

const COLUMNS =
  'id, license_id, kind, state, payload, target, max_attempts, timeout_seconds, available_at, claimed_by, claimed_at, finished_at, attempt'

/**
 * Stores one license with a long queue for other hosts, one job for any host, one held job, many finished
 * ones and a long log.
 */
async function fill(): Promise<void> {
  const row = (id: string, state: string, target: string, at: string, owner = 'null') =>
    `${id}, 'lic_a', 'prune', '${state}', '{}', ${target}, 3, 3600, ${at}, ${owner}, ${owner === 'null' ? 'null' : 'now()'}, ${state === 'succeeded' ? 'now()' : 'null'}, 1`
  const many = (count: number, values: string) =>
    client.query(`insert into jobs (${COLUMNS}) select ${values} from generate_series(1, ${count}) n`)
  await many(WAITING, row(`'job_w' || n`, 'pending', `'other-' || n % 100`, 'now()'))
  await many(FINISHED, row(`'job_f' || n`, 'succeeded', `''`, 'now()', `'fp'`))
  await many(1, row(`'job_mine'`, 'running', `''`, `now() + interval '100 s'`, `'fp'`))
  await many(1, row(`'job_any'`, 'pending', `''`, 'now()'))
  await client.query(`insert into job_log_chunks (job_id, first_line, attempt, first_offset, next_offset, lines, accepted, job_chars, body)
    select 'job_mine', n * 10, 1, n * 10, n * 10 + 10, 10, 10, n * 100, '[]'::bytea from generate_series(0, 9999) n`)
  await client.query(`insert into tenants (id, name) values ('ten_a', 'a')`)
  await client.query(`insert into licenses (id, key_digest, label, tenant_id)
    select case n when 7 then 'lic_a' when 8 then 'lic_b' else 'lic_' || n end, 'digest-' || n, '',
      case when n in (7, 8) then 'ten_a' end from generate_series(1, 10000) n`)
  await client.query('analyze')
}

/** Returns the pages that a statement touches under a new plan. */
async function pages({ name, text }: Statement, params: readonly string[]): Promise<number> {
  const types = params.map(() => 'unknown').join(', ')
  await client.query(`prepare "${name}" (${types}) as ${text}`)
  const found = await touched(client, `execute "${name}" (${params.join(', ')})`)
  await client.query(`deallocate "${name}"`)
  return found.pages
}

/** Returns the pages of the jobs and their indexes that this transaction has touched. */
async function fetched(): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    `select (pg_stat_get_xact_blocks_fetched('jobs'::regclass)
      + (select sum(pg_stat_get_xact_blocks_fetched(indexrelid)) from pg_index where indrelid = 'jobs'::regclass))::int as pages`,
  )
  return rows[0]?.pages ?? Number.NaN
}

const LEASED = ['300', 'null']
const ASKED = ["'{300}'", "'{null}'"]
const OWNER = ["'{job_mine}'", "'{lic_a}'", "'{fp}'", "'{1}'", "'{null}'", "'{300}'", "'{key}'"]
const CHUNK = [
  "'{100000}'",
  "'{100000}'",
  "'{100010}'",
  "'{10}'",
  "'{10}'",
  "'{1000000}'",
  "'{1}'",
  "'{2}'",
  "'[]'",
]
const WRITTEN = [...OWNER, ...CHUNK]
const REPORTED = [
  "'{job_mine}'",
  "'{lic_a}'",
  "'{fp}'",
  "'{1}'",
  "'{running}'",
  "'{null}'",
  "'{null}'",
  ...ASKED,
]

const listed = (id: string, state: string) => [id, state, 'null', 'null', 'null', "''", "'z'", '10']

describe(`pages touched behind ${WAITING} foreign jobs and ${FINISHED} finished ones, on ${POSTGRES}`, () => {
  it.each([
    ['looks for work', 16, PROBE, ["'{lic_a}'", "'{fp}'", "'{key}'", "'{null}'", "'{digest}'"]],
    ['a claim that gets a job', 64, CLAIM, ["'{lic_a}'", "'{fp}'", "'{key}'", ...ASKED, "'{digest-7}'"]],
    [
      'looks for work of some kinds',
      16,
      PROBE_OF_KINDS,
      ["'{lic_a}'", "'{fp}'", "'{key}'", "'{null}'", "'{digest}'", "'{deploy,prune}'"],
    ],
    [
      'a claim of some kinds that gets a job',
      64,
      CLAIM_OF_KINDS,
      ["'{lic_a}'", "'{fp}'", "'{key}'", ...ASKED, "'{digest-7}'", "'{deploy,prune}'"],
    ],
    ['a claim that gets none', 32, CLAIM, ["'{lic_b}'", "'{fp}'", "'{null}'", ...ASKED, "'{digest-8}'"]],
    [
      'a claim of a host whose queue is behind all others',
      64,
      CLAIM,
      ["'{lic_a}'", "'{other-99}'", "'{null}'", ...ASKED, "'{digest-7}'"],
    ],
    ['a claim again', 32, REPEAT, ["'lic_a'", "'fp'", "'key'", ...LEASED, "'digest-7'"]],
    ['a report', 64, REPORT, [...REPORTED, "''"]],
    ['a report that changes nothing', 16, READ_BACK, REPORTED],
    ['a heartbeat that lists a job', 64, RENEW, ["'{0}'", ...REPORTED.slice(0, 4), ...ASKED]],
    ['new lines', 64, APPEND, WRITTEN.with(5, "'{100}'")],
    ['new lines of whoever may write them', 64, SETTLE, WRITTEN],
    ['reading on at the end of a long log', 16, READ, ["'job_mine'", '99995']],
    ['the end of the job at the head', 32, END_HEAD, ["'lic_a'", 'null', "'%s %s'", "''", "'fp'"]],
    [
      'the end of the job at the head of some kinds',
      32,
      END_HEAD_OF_KINDS,
      ["'lic_a'", 'null', "'%s %s'", "''", "'fp'", "'{deploy,prune}'"],
    ],
    ['a sweep for lost jobs', 32, END_ALL, ['null', 'null', "'%s %s'", "''"]],
    ['a sweep for timeouts', 32, TIME_OUT, ['null']],
    ['the newest jobs of a license', 64, LISTS.license, listed("'lic_a'", 'null')],
    ['those that are held', 16, LISTS_OF_STATE.running.license, listed("'lic_a'", "'running'")],
    ['those that failed', 64, LISTS_OF_STATE.failed.license, listed("'lic_a'", "'failed'")],
    ['the newest jobs of a tenant', 192, LISTS.tenant, listed("'ten_a'", 'null')],
    ['those that are held by its hosts', 192, LISTS_OF_STATE.running.tenant, listed("'ten_a'", "'running'")],
    ['those of all licenses that are held', 64, LISTS_OF_STATE.running.platform, listed('null', "'running'")],
    ['those of all licenses that failed', 64, LISTS_OF_STATE.failed.platform, listed('null', "'failed'")],
    ['when a host last took a job', 128, LAST_CLAIM, ["'lic_a'"]],
  ])('%s: at most %i', async (_, most, statement, params) => {
    expect(await pages(statement, params)).toBeLessThanOrEqual(most)
  })

  // A plan does not include the pages that a trigger touches.
  it('the end of a job lets the next of its serial key go: at most 84', async () => {
    await client.query('begin')
    await client.query(`update jobs set serial_key = 'app:a' where id = 'job_mine'`)
    await client.query(`insert into jobs (id, license_id, kind, payload, serial_key, max_attempts, timeout_seconds)
      values ('job_next', 'lic_a', 'prune', '{}', 'app:a', 3, 3600)`)
    const before = await fetched()
    await client.query(`update jobs set state = 'succeeded', finished_at = now() where id = 'job_mine'`)
    const after = await fetched()
    const { rows } = await client.query(
      `select available_at <= now() as is_due from jobs where id = 'job_next'`,
    )
    await client.query('rollback')
    expect(rows).toEqual([{ is_due: true }])
    // Among them are the license's hosts, whose kinds say which of the waiting jobs can be run,
    // and the first page of each index, which the planner reads.
    expect(after - before).toBeLessThanOrEqual(84)
  })
})
