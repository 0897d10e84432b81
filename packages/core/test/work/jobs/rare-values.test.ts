// A list by a value that few rows have looks through a part of the history, and its cursor leads to the rest.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openStorage } from '@svc/core/sql'
import { type TestPlane, testPlane } from '@svc/testing'
import { LOOKED_ROWS } from '../../../src/kernel/page.ts'
import { POSTGRES } from '../../platform/storage/backends.ts'
import { SqlScene } from '../../platform/storage/sql-scene.ts'

const LICENSE = `lic_${'0'.repeat(26)}`
const TENANT = `ten_${'0'.repeat(26)}`
const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`

let scene: SqlScene
let served: TestPlane

beforeAll(async () => {
  scene = await SqlScene.open()
  const { client } = scene
  await client.query(`insert into tenants (id, name) values ('${TENANT}', 'acme')`)
  await client.query(
    `insert into licenses (id, key_digest, tenant_id) values ('${LICENSE}', 'd', '${TENANT}')`,
  )
  // The oldest job is the only one of its kind, as the oldest entry is of its operation.
  await client.query(`insert into jobs (id, license_id, kind, state, payload, target, app, max_attempts, timeout_seconds, finished_at)
    select 'job_' || lpad(n::text, 26, '0'), '${LICENSE}', case n when 0 then 'prune' else 'deploy' end, 'failed', '{}', '',
      case n when 0 then 'blog' else 'shop' end, 3, 3600, now() from generate_series(0, ${LOOKED_ROWS}) n`)
  await client.query(`insert into audit_log (id, actor, operation, input, outcome)
    select 'aud_' || lpad(n::text, 26, '0'), case n when 0 then 'bob' else 'ann' end,
      case n when 0 then 'fleet.drain' else 'jobs.enqueue' end, '{}', 'ok' from generate_series(0, ${LOOKED_ROWS}) n`)
  await client.query('analyze')
  served = testPlane({ storage: await openStorage({ url: scene.url }) })
}, 60_000)
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

interface Page {
  readonly jobs?: readonly { readonly id: string }[]
  readonly audit?: readonly { readonly id: string }[]
  readonly next_cursor?: string
}
const page = async (operation: string, input: object) => {
  const { jobs, audit, next_cursor } = (await served.plane.operations.run(operation, input, 'ann')) as Page
  return { ids: (jobs ?? audit ?? []).map(({ id }) => id), next: next_cursor }
}

describe(`lists by a rare value on ${POSTGRES}`, () => {
  it.each([
    { kind: 'prune' },
    { app: 'blog' },
    { kind: 'prune', license: LICENSE },
    { kind: 'prune', tenant: TENANT },
    { kind: 'prune', state: 'failed' },
    { kind: 'prune', state: 'failed', license: LICENSE },
    { kind: 'prune', app: 'blog', since: 0 },
  ])('an empty page leads on to the job that is behind so many others: %j', async (filter) => {
    const first = await page('jobs.list', filter)
    expect(first).toEqual({ ids: [], next: idOf('job', 1) })
    expect(await page('jobs.list', { ...filter, cursor: first.next })).toEqual({
      ids: [idOf('job', 0)],
      next: undefined,
    })
  })

  it('a page that is full goes on behind its last row, and one of all that there is has no next', async () => {
    const last = idOf('job', LOOKED_ROWS - 1)
    expect(await page('jobs.list', { kind: 'deploy', limit: 2 })).toEqual({
      ids: [idOf('job', LOOKED_ROWS), last],
      next: last,
    })
    expect(await page('jobs.list', { kind: 'deploy', cursor: idOf('job', 3) })).toEqual({
      ids: [idOf('job', 2), idOf('job', 1)],
      next: undefined,
    })
    expect(await page('jobs.list', { kind: 'prune', state: 'running' })).toEqual({ ids: [], next: undefined })
    expect(await page('jobs.list', { kind: 'prune', since: 4_000_000_000 })).toEqual({
      ids: [],
      next: undefined,
    })
  })

  it.each([{ who: 'bob' }, { operation: 'fleet' }])(
    'so it is with entries of the audit log: %j',
    async (filter) => {
      const first = await page('audit.list', filter)
      expect(first).toEqual({ ids: [], next: idOf('aud', 1) })
      expect(await page('audit.list', { ...filter, cursor: first.next })).toEqual({
        ids: [idOf('aud', 0)],
        next: undefined,
      })
      const since = Math.floor(Date.now() / 1000) - 3600
      expect(await page('audit.list', { ...filter, since })).toEqual({ ids: [], next: undefined })
    },
  )
})
