import { afterEach, beforeEach, describe, test as each, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import type { App } from '@svc/core/ports'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'
import { readDatabaseOrder } from '../../../src/adapters.ts'

const REPO = 'https://git.example/acme/shop.git'

let test: TestPlane
let licenseId: string
let app: App

beforeEach(async () => {
  test = testPlane()
  licenseId = (await test.license()).id
  for (const fingerprint of ['fp-1', 'fp-2'])
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
  app = await test.plane.apps.create(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
  await test.plane.apps.create(licenseId, 'blog', { fingerprint: 'fp-1', repoUrl: REPO })
  await test.plane.apps.create(licenseId, 'far', { fingerprint: 'fp-2', repoUrl: REPO })
})
afterEach(() => test[Symbol.asyncDispose]())

interface Answer {
  readonly job: { readonly kind: string; readonly target: string; readonly payload: object }
  readonly databases: readonly object[]
}
const run = async (verb: string, input: object = {}) =>
  (await test.plane.operations.run(
    `apps.databases-${verb}`,
    { app: 'shop', ...input },
    'cli:ann',
  )) as unknown as Answer
const listed = async () => (await run('list')).databases

/** Hands out the job that is due and ends it. */
async function ends(error?: string) {
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined })
  if (job === undefined) throw new Error('no job is due')
  const state = error === undefined ? 'succeeded' : 'failed'
  const end = { state, exitCode: undefined, error, attempt: undefined } as const
  await test.plane.jobs.report({ jobId: job.id, licenseId, fingerprint: 'fp-1', ...end })
}

describe('a database of an app', () => {
  it('is made on the host of its app, which is linked; it is ready when the host says so', async () => {
    expect((await run('create', { name: 'shop' })).job).toMatchObject({
      ...{ kind: 'db', target: 'fp-1' },
      payload: { op: 'create', engine: 'postgres', name: 'shop', app: 'shop' },
    })
    const links = [{ app: 'shop', as: 'DATABASE_URL' }]
    expect(await listed()).toMatchObject([
      { name: 'shop', engine: 'postgres', state: 'pending', links, host: 'fp-1', by: 'cli:ann' },
    ])
    await ends('this host lacks PostgreSQL')
    expect(await listed()).toMatchObject([{ state: 'failed', reason: 'create: this host lacks PostgreSQL' }])
    const [failed] = await listed()
    await test.plane.jobs.retry(PLATFORM, (failed as { job_id: string }).job_id)
    expect(await listed()).toMatchObject([{ state: 'pending', links }])
    await ends()
    const [ready] = await listed()
    expect(ready).toMatchObject({ state: 'ready' })
    expect(ready).not.toHaveProperty('reason')
  })

  it('keeps the links that are wanted, each app once, and is dropped without any alone', async () => {
    await run('create', { name: 'shop', engine: 'valkey' })
    await run('link', { name: 'shop', app: 'blog', as: 'CACHE_URL' })
    await run('link', { name: 'shop', app: 'shop', as: 'OTHER_URL' })
    const links = [
      { app: 'blog', as: 'CACHE_URL' },
      { app: 'shop', as: 'OTHER_URL' },
    ]
    expect(await listed()).toMatchObject([{ engine: 'valkey', links }])
    const drop = () => run('drop', { name: 'shop', confirm: 'shop' })
    const linked = { code: 'conflict', message: expect.stringContaining('unlink blog shop comes first') }
    await expect(drop()).rejects.toMatchObject(linked)
    expect((await run('unlink', { name: 'shop', app: 'blog' })).job.payload).toMatchObject({ app: 'blog' })
    await run('unlink', { name: 'shop' })
    await drop()
    expect(await listed()).toMatchObject([{ state: 'dropping', op: 'drop', links: [] }])
    for (let jobs = 0; jobs < 6; jobs += 1) await ends()
    expect(await listed()).toEqual([])
    await expect(run('rotate', { name: 'shop' })).rejects.toMatchObject({ code: 'not-found' })
    expect((await run('create', { name: 'shop' })).job.payload).toMatchObject({ engine: 'postgres' })
  })

  it('is only for apps of its host, also when its app has moved', async () => {
    await run('create', { name: 'shop' })
    const elsewhere = { code: 'conflict', message: expect.stringContaining('on another host than far') }
    await expect(run('link', { name: 'shop', app: 'far' })).rejects.toMatchObject(elsewhere)
    await test.plane.apps.set(app, { fingerprint: 'fp-2' })
    await expect(run('backup', { name: 'shop' })).rejects.toMatchObject({ code: 'conflict' })
    expect((await run('backup', { name: 'shop', app: 'blog' })).job.target).toBe('fp-1')
    expect((await run('unlink', { name: 'shop' })).job.target).toBe('fp-1')
  })

  it('outlives its app', async () => {
    await run('create', { name: 'shop' })
    await test.plane.apps.remove(app)
    expect((await run('list', { app: 'blog' })).databases).toHaveLength(1)
  })

  it('goes with the data of its app when no other has it, as far as its host says so', async () => {
    await run('create', { name: 'shop' })
    await run('create', { name: 'both' })
    await run('link', { name: 'both', app: 'blog' })
    await run('create', { name: 'other', app: 'blog', as: 'OTHER_URL' })
    for (let jobs = 0; jobs < 4; jobs += 1) await ends()
    const given = { app: 'shop', data: true }
    expect(await test.plane.operations.run('apps.remove', given, 'cli:bob')).toMatchObject({
      databases: ['shop'],
    })
    const rest = async () => (await run('list', { app: 'blog' })).databases
    const blog = (as = 'DATABASE_URL') => [{ app: 'blog', as }]
    expect(await rest()).toMatchObject([
      { name: 'both', op: 'unlink', links: blog(), by: 'cli:bob' },
      { name: 'other', op: 'create', links: blog('OTHER_URL') },
      { name: 'shop', state: 'dropping', links: [] },
    ])
    await ends()
    expect(await rest()).toMatchObject([{ name: 'both', state: 'ready' }, { name: 'other' }])
  })

  it('stays of its engine, and its data goes for its own name alone', async () => {
    await run('create', { name: 'shop' })
    await expect(run('create', { name: 'shop', engine: 'valkey' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'shop is a database of postgres',
    })
    await run('unlink', { name: 'shop' })
    await expect(run('drop', { name: 'shop', confirm: 'Shop' })).rejects.toMatchObject({
      code: 'invalid-input',
      data: { details: ['confirm: expected shop, whose data goes'] },
    })
  })
})

each.each([
  ...[
    '',
    'Shop',
    '1a',
    '-a',
    'a b',
    'a.b',
    'a"b',
    "a'b",
    'a;b',
    'a$b',
    'a/../b',
    '../a',
    'a\nb',
    'a\0b',
    'a%n',
  ],
  ...[
    'postgres',
    'template0',
    'template1',
    'public',
    'none',
    'pg_read_all_data',
    'svc',
    'svc-db-postgres',
    'default',
  ],
  ...[
    'ä',
    'x'.repeat(41),
    '\u202ea',
    'a\u0000',
    '--',
    'all ',
    ' a',
    'a`id`',
    'a|b',
    'a&b',
    '$(id)',
    'a\\',
    '%s',
  ],
  ...['__proto__', 'Constructor', 'a:b', 'a@b', 'a?b', 'a#b', 'a*', 'a=b', '~', 'a\t'],
])('%j is no name of a database', (name) => {
  expect(() => readDatabaseOrder({ op: 'create', engine: 'postgres', name })).toThrow('invalid-input')
})

each.each([
  [{ engine: 'postgresql' }, { engine: 'postgres' }],
  [{ engine: 'redis' }, { engine: 'valkey' }],
  [{ engine: 'mysql' }, { engine: 'mariadb' }],
])('engines have other names: %j', (given, read) => {
  expect(readDatabaseOrder({ op: 'create', name: 'shop', ...given })).toMatchObject(read)
})

each.each([
  [{ engine: 'mysql', name: 'sys' }, 'name: MariaDB has sys for itself'],
  [{ engine: 'mariadb', name: 'information_schema' }, 'name: MariaDB has information_schema for itself'],
  [{ engine: 'oracle' }, 'engine: expected one of postgres, mariadb, valkey'],
  [{ op: 'explode' }, 'op: expected one of create'],
  [{ op: 'link' }, 'app: expected the application'],
  [{ as: 'LD_PRELOAD' }, 'LD_PRELOAD: svc sets this name itself'],
  [{ as: 'url' }, 'as: expected the name of a variable'],
  [{ as: 'A\nB' }, 'as: expected the name of a variable'],
  [{ op: 'restore', dump: '../../etc/shadow' }, 'dump: expected a dump as the op list names it'],
  [{ op: 'restore', dump: '20261129T120000Z-backup.part' }, 'dump: expected a dump'],
  [{ op: 'drop' }, 'confirm: expected shop, whose data goes'],
])('an order is refused in words: %j', (given, words) => {
  let details: readonly string[] = []
  try {
    readDatabaseOrder({ op: 'create', engine: 'postgres', name: 'shop', ...given })
  } catch (error) {
    details = (error as { data: { details: readonly string[] } }).data.details
  }
  expect(details.join('; ')).toContain(words)
})
