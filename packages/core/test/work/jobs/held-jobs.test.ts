// Statements that hosts repeat cost the same however many jobs other hosts hold, even under a plan from when
// no job was held.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type pg from 'pg'
import { LANE_OPTIONS } from '../../../src/platform/database/lanes.ts'
import type { Statement } from '../../../src/platform/database/session.ts'
import { HEARTBEATS } from '../../../src/work/agents/agents-store-sql.ts'
import { CLAIM } from '../../../src/work/jobs/job-claim-sql.ts'
import { APPEND, SETTLE } from '../../../src/work/jobs/job-log-append-sql.ts'
import { PROBE } from '../../../src/work/jobs/job-probe-sql.ts'
import { RENEW } from '../../../src/work/jobs/job-renew-sql.ts'
import { REPEAT } from '../../../src/work/jobs/job-repeat-sql.ts'
import { READ_BACK, REPORT } from '../../../src/work/jobs/job-report-sql.ts'
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

const HELD = 3000
const HOSTS = 16

// Stores a queue without any claimed job.
const wait = () =>
  client.query(
    `insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds, available_at)
      select 'job_w' || n, 'lic_far', 'prune', '{}', '', 3, 3600, now() from generate_series(1, 5000) n`,
  )

const hold = () =>
  client.query(
    `insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds, available_at, state,
        claimed_by, claim_key)
      select 'job_' || lpad(n::text, 9, '0'), 'lic_' || n % 50, 'prune', '{}', '', 3, 3600, now() + interval '5 min',
        'claimed', 'other-' || n, 'key-' || n from generate_series(1, ${HELD}) n`,
  )

/** An array of one value for each host, spelled in SQL. */
const each = (value: (host: number) => string, type: string) =>
  `array[${Array.from({ length: HOSTS }, (_, host) => value(host)).join(', ')}]::${type}[]`
const licenses = each((host) => `'lic_${host}'`, 'text')
const hosts = each((host) => `'host-${host}'`, 'text')
const none = (type: string) => each(() => 'null', type)
const keys = each((host) => `'key-of-${host}'`, 'text')

const places = each((host) => String(host), 'int')
const jobs = each((host) => `'job_00000000${host % 10}'`, 'text')
const figures = [
  'text',
  'text',
  'text',
  'text',
  'float8',
  'float8',
  'float8',
  'float8',
  'float8',
  'boolean',
  'float8',
]
const beats = [licenses, none('text'), hosts, none('timestamptz'), ...[...figures, 'boolean'].map(none)]
const states = each(() => `'running'`, 'text')
const owners = [jobs, licenses, hosts, none('float8')]
const seconds = each(() => '300', 'float8')
const reports = [...owners, states, none('float8'), none('text'), seconds, none('timestamptz')]
const numbers = Array.from({ length: 5 }, () => each(() => '0', 'int'))
const bodies = Array.from({ length: 2 }, () => each(() => '1', 'int'))
const chunks = [...numbers, each(() => '0', 'float8'), ...bodies, `''::bytea`]

const written = [...owners, none('timestamptz'), seconds, none('text'), ...chunks]

const STATEMENTS: readonly (readonly [string, Statement, readonly string[]])[] = [
  ['looks for work', PROBE, [licenses, hosts, keys, none('timestamptz'), none('text')]],
  ['claims', CLAIM, [licenses, hosts, keys, each(() => '300', 'float8'), none('timestamptz'), none('text')]],
  ['heartbeats', HEARTBEATS, beats],
  ['a heartbeat that lists a job', RENEW, [places, ...owners, seconds, none('timestamptz')]],
  ['a claim again', REPEAT, [`'lic_1'`, `'other-1'`, `'key-1'`, '300', 'null', 'null']],
  ['a report', REPORT, [...reports, `'given back'`]],
  ['a report that changes nothing', READ_BACK, reports],
  ['new lines', APPEND, written],
  ['new lines of whoever may write them', SETTLE, written],
]

const pagesOf = async ({ name }: Statement, params: readonly string[]) =>
  (await touched(client, `execute "${name}" (${params.join(', ')})`)).pages

describe(`beside ${HELD} jobs that other hosts hold, on ${POSTGRES}`, () => {
  // One more level in each index, which each host descends.
  const LEVELS = 3 * HOSTS

  it('looks, claims and heartbeats touch as much as beside none, by the plan of before', async () => {
    await wait()
    await client.query('vacuum analyze jobs')
    for (const [, { name, text }] of STATEMENTS) await client.query(`prepare "${name}" as ${text}`)
    const before = []
    for (const [, statement, params] of STATEMENTS) before.push(await pagesOf(statement, params))
    await hold()
    for (const [index, [what, statement, params]] of STATEMENTS.entries()) {
      const pages = await pagesOf(statement, params)
      expect({ what, fits: pages <= 2 * (before[index] ?? 0) + LEVELS, pages }).toMatchObject({ fits: true })
    }
  })
})
