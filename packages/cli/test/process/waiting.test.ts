import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { REQUIRED_TABLES } from '@svc/core/ports'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { OwnPostgres } from '../../../../test/support/own-postgres.ts'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'
import { WireHost } from '../support/wire-host.ts'

const PATIENCE_MS = 120_000
const SERVE = ['serve', '--port', '0']
const MIGRATION_LOCK = 7_305_111_883

let cwd: string
let database: TestDatabase

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

const parts = (env: Record<string, string> = {}) => ({ cwd, env: { DATABASE_URL: database.url, ...env } })

async function sql<Row>(text: string, url = database.url): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

async function ask(url: string, path: string, method = 'GET'): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { method, headers: { connection: 'close' } })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  const body: unknown = isJson ? JSON.parse(text) : text
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body }
}

const linesOf = ({ err }: SvcProcess, message: string): Record<string, unknown>[] =>
  err.text
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line))

/** The obstacles that the log tells, one for each notice. */
const waits = (svc: SvcProcess) => linesOf(svc, 'not ready: looking again').map((line) => line.waits_for)

/** The address of a service that has begun to wait. */
async function waiting(svc: SvcProcess, sentence: string): Promise<string> {
  await svc.until('err', sentence)
  return String(linesOf(svc, 'listening')[0]?.url)
}

/** Asks until healthz shows the check; the test's own time limit bounds it. */
async function healthShows(url: string, checks: object): Promise<void> {
  for (;;) {
    const health = await ask(url, '/healthz')
    const found = (health.body as { checks: object }).checks
    if (Object.entries(checks).every(([name, value]) => match(Reflect.get(found, name), value))) {
      expect(health).toMatchObject({ status: 503, body: { ok: false } })
      return
    }
    await pause(100)
  }
}

const match = (found: unknown, expected: object): boolean =>
  Object.entries(expected).every(
    ([name, value]) => JSON.stringify(Reflect.get(Object(found), name)) === JSON.stringify(value),
  )

/** Probes are answered, and nothing else is. */
async function answersProbesAlone(url: string): Promise<void> {
  expect(await ask(url, '/healthz')).toMatchObject({
    status: 503,
    body: { ok: false, checks: { starting: { status: 'fail' } } },
  })
  expect(await ask(url, '/livez')).toMatchObject({ status: 200, body: { ok: true } })
  const others = [
    ['/metrics'],
    ['/v1/jobs/claim', 'POST'],
    ['/api/v1/telemetry/heartbeat', 'POST'],
    ['/login'],
    ['/nothing/here'],
  ] as const
  for (const [path, method] of others) {
    expect({ path, ...(await ask(url, path, method)) }).toMatchObject({ path, status: 503, retryAfter: '2' })
  }
}

let postgres: OwnPostgres
beforeAll(async () => {
  postgres = await OwnPostgres.open()
}, PATIENCE_MS)
afterAll(() => postgres[Symbol.asyncDispose]())

test(
  'A service that is started first waits for PostgreSQL, then for its migration, and serves without a restart, also when the database goes once more',
  async () => {
    const env = { DATABASE_URL: postgres.url, SERVICE_LICENSE_KEYS: 'some-key-of-a-host' }
    postgres.kill()
    await using svc = new SvcProcess(SERVE, { cwd, env })
    const url = await waiting(svc, 'the database cannot be reached')
    await answersProbesAlone(url)
    await healthShows(url, { database: { status: 'fail', reason: 'unreachable' } })

    await postgres.start()
    await svc.until('err', 'run svc migrate, or start with --migrate')
    await answersProbesAlone(url)
    const { pending } = await jsonHere<{ pending: string[] }>(['migrate', '--plan'], { cwd, env })
    await healthShows(url, {
      tables: { status: 'fail', missing: REQUIRED_TABLES },
      migrations: { status: 'fail', pending, drifted: [] },
    })
    expect(await jsonHere(['migrate'], { cwd, env })).toMatchObject({ applied: pending })

    expect(await svc.serving()).toBe(url)
    const host = new WireHost('some-key-of-a-host', 'a'.repeat(40))
    expect(await host.heartbeat(url)).toBe(200)
    expect(await ask(url, '/healthz')).toMatchObject({ status: 200, body: { ok: true } })
    expect(waits(svc)).toEqual([
      'the database cannot be reached or is too busy',
      'the database is not migrated: run svc migrate, or start with --migrate',
    ])
    postgres.kill()
    await healthShows(url, { database: { status: 'fail', reason: 'unreachable' } })
    await postgres.start()
    while ((await ask(url, '/healthz')).status !== 200) await pause(100)
    expect(await host.heartbeat(url)).toBe(200)
    svc.kill('SIGTERM')
    expect(await svc.end()).toBe(0)
  },
  PATIENCE_MS,
)

test(
  'On a database that has drifted, and on one of a newer release, it answers with the check and does not end; when it is mended it serves',
  async () => {
    await jsonHere(['migrate'], parts())
    const [first] = await sql<{ name: string; checksum: string }>(
      'select name, checksum from migration_checksums order by name limit 1',
    )
    await sql(`update migration_checksums set checksum = 'edited' where name = '${first?.name}'`)
    await using svc = new SvcProcess([...SERVE, '--migrate'], parts())
    const url = await waiting(svc, 'the database has drifted')
    await healthShows(url, { migrations: { status: 'fail', pending: [], drifted: [first?.name] } })
    await sql(
      `begin; update migration_checksums set checksum = '${first?.checksum}' where name = '${first?.name}';
       insert into migration_checksums (name, checksum) values ('9999-later', 'x'); commit`,
    )
    await svc.until('err', 'the database is ahead of this release (9999-later); run a newer one')
    await healthShows(url, {
      migrations: { status: 'fail', pending: [], drifted: [], ahead: ['9999-later'] },
    })
    await answersProbesAlone(url)
    await sql(
      `begin; delete from migration_checksums where name = '9999-later'; alter table tenants rename to lost; commit`,
    )
    await svc.until('err', 'tables are missing: restore the database from a backup')
    await sql('alter table lost rename to tenants')
    expect(await svc.serving()).toBe(url)
    expect(await ask(url, '/healthz')).toMatchObject({ status: 200 })
    expect(new Set(waits(svc)).size).toBe(waits(svc).length)
  },
  PATIENCE_MS,
)

test(
  'Replicas that start at once with --migrate on an empty database all serve, and each migration is applied once',
  async () => {
    const replicas = Array.from({ length: 3 }, () => new SvcProcess([...SERVE, '--migrate'], parts()))
    try {
      for (const each of replicas)
        expect(await ask(await each.serving(), '/healthz')).toMatchObject({ status: 200 })
    } finally {
      await Promise.all(replicas.map((each) => each[Symbol.asyncDispose]()))
    }
    const { applied } = await jsonHere<{ applied: string[] }>(['migrate', '--status'], parts())
    const rows = await sql<{ name: string }>('select name from migrations order by id')
    expect(rows.map(({ name }) => name)).toEqual(applied)
  },
  PATIENCE_MS,
)

const NO_BALANCER_KNOWS_IT = { SERVICE_DRAIN_DELAY_SECONDS: '300' }

test(
  'SIGTERM ends a service that waits at once, with code 0: also while another process migrates, and while the database says nothing',
  async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    try {
      await using behind = new SvcProcess([...SERVE, '--migrate'], parts(NO_BALANCER_KNOWS_IT))
      await behind.until('err', 'another process is migrating the database')
      await using deaf = new SvcProcess(SERVE, {
        cwd,
        env: { ...NO_BALANCER_KNOWS_IT, DATABASE_URL: `postgres://svc:hidden@127.0.0.1:${port}/svc` },
      })
      await deaf.until('err', 'the database cannot be reached')
      for (const svc of [behind, deaf]) {
        const start = performance.now()
        svc.kill('SIGTERM')
        expect(await svc.end()).toBe(0)
        // A look under way ends within its 2 s; a process that could not drain is killed after 9.5.
        expect(performance.now() - start).toBeLessThan(9000)
        expect(svc.err.text).not.toContain('could not drain')
      }
    } finally {
      await client.end()
      silent.close()
    }
  },
  PATIENCE_MS,
)

test(
  'Commands at the control socket of a service that waits are told so, with code 3',
  async () => {
    await using svc = new SvcProcess([...SERVE, '--data-dir', 'run'], parts())
    await waiting(svc, 'not migrated')
    const { code, err } = await runSvc(['jobs', 'list', '--data-dir', 'run'], { cwd })
    expect({ code, err }).toEqual({
      code: 3,
      err: 'svc: the control plane waits for its database: its log names the remedy\n',
    })
  },
  PATIENCE_MS,
)

test(
  'A certificate file that is not there is a wrong setting: code 2, and the file is named',
  async () => {
    const url = `${database.url}?sslmode=verify-full&sslrootcert=${join(cwd, 'ca.pem')}`
    for (const args of [SERVE, ['migrate']]) {
      const { code, err } = await runSvc(args, parts({ DATABASE_URL: url }))
      expect({ args, code }).toEqual({ args, code: 2 })
      expect(err).toContain(`DATABASE_URL names ${join(cwd, 'ca.pem')}, which cannot be read (ENOENT)`)
    }
  },
  PATIENCE_MS,
)
