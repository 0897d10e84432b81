import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { OwnPostgres } from '../../../../test/support/own-postgres.ts'
import { SvcProcess } from '../support/svc-process.ts'

const PATIENCE_MS = 120_000
const SERVE = ['serve', '--port', '0', '--migrate']

let cwd: string
let postgres: OwnPostgres

beforeAll(async () => {
  // Few connections, so that a test can take them all.
  postgres = await OwnPostgres.open({ max_connections: 30 })
}, PATIENCE_MS)
afterAll(() => postgres[Symbol.asyncDispose]())

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const parts = () => ({ cwd, env: { DATABASE_URL: postgres.url, SERVICE_DATABASE_POOL: '3' } })

const CLOSE = { connection: 'close' }

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

async function ask(url: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { ...init, headers: { ...init.headers, ...CLOSE } })
  const text = await answer.text()
  const body = text === '' ? undefined : (JSON.parse(text) as unknown)
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body }
}

const post = (url: string, path: string, body: object) =>
  ask(url, path, {
    method: 'POST',
    headers: { authorization: 'Bearer some-key-of-a-host', 'content-type': 'application/json' },
    body: JSON.stringify({ fingerprint: 'f'.repeat(40), ...body }),
  })

const heartbeat = (url: string) => post(url, '/v1/telemetry/heartbeat', { hostname: 'h' })
const claim = (url: string) => post(url, '/v1/jobs/claim', {})

const LOOK_MS = 100

/** Asks again until the answer has `status`; the test's own time limit bounds it. */
async function until(status: number, look: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await look()
    if (answer.status === status) return answer
    expect(answer.status).toBe(status === 200 ? 503 : 200)
    await pause(LOOK_MS)
  }
}

const AWAY = { status: 503, retryAfter: '2', body: { error: 'service unavailable' } }

test(
  'A database that is killed is 503 with Retry-After, on healthz too, and the process serves again when it is back',
  async () => {
    await using svc = new SvcProcess(SERVE, parts())
    const url = await svc.serving()
    expect(await heartbeat(url)).toMatchObject({ status: 200 })
    // Requests are under way when it dies.
    const underWay = Array.from({ length: 20 }, () => heartbeat(url))
    postgres.kill()
    for (const { status } of await Promise.all(underWay)) expect([200, 503]).toContain(status)
    expect(await heartbeat(url)).toMatchObject(AWAY)
    expect(await claim(url)).toMatchObject(AWAY)
    const health = await until(503, () => ask(url, '/healthz'))
    expect(health.body).toMatchObject({ ok: false, checks: { database: { status: 'fail' } } })
    expect(await ask(url, '/livez')).toMatchObject({ status: 200 })
    // Read to its end: a body that nobody reads keeps its connection.
    const metrics = await fetch(`${url}/metrics`, { headers: CLOSE })
    expect(await metrics.text()).toContain('svc_')
    expect(metrics.status).toBe(200)

    await postgres.start()
    expect(await until(200, () => heartbeat(url))).toMatchObject({ body: { ack: true } })
    await until(200, () => ask(url, '/healthz'))
    svc.kill('SIGTERM')
    expect(await svc.end()).toBe(0)
  },
  PATIENCE_MS,
)

test(
  'A server whose database is away, or takes connections and says nothing, waits without a word of the password, and the one serves when it is back',
  async () => {
    postgres.kill()
    const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const env = { DATABASE_URL: `postgres://svc:hidden@127.0.0.1:${port}/svc` }
    await using svc = new SvcProcess(SERVE, parts())
    await using deaf = new SvcProcess(['serve', '--port', '0'], { cwd, env })
    await svc.until('err', 'connect ECONNREFUSED')
    await deaf.until('err', 'the database cannot be reached or is too busy')
    expect(deaf.err.text).not.toContain('hidden')
    expect(svc.err.text).not.toContain(new URL(postgres.url).password)

    await postgres.start()
    expect(await heartbeat(await svc.serving())).toMatchObject({ status: 200 })
    deaf.kill('SIGTERM')
    expect(await deaf.end()).toBe(0)
    silent.close()
  },
  PATIENCE_MS,
)

/** Connections of a stranger, each doing `text`. */
async function strangers(count: number, text: string): Promise<AsyncDisposable> {
  const clients: pg.Client[] = []
  for (let each = 0; each < count; each += 1) {
    const client = new pg.Client({ connectionString: postgres.url })
    client.on('error', () => {})
    const isIn = await client.connect().then(
      () => true,
      () => false,
    )
    if (!isIn) break
    await client.query(text)
    clients.push(client)
  }
  return { [Symbol.asyncDispose]: async () => void (await Promise.all(clients.map((each) => each.end()))) }
}

test(
  'Behind a locked table requests are 503 within the limit of a lock while healthz stays 200, and it serves on afterwards',
  async () => {
    await using svc = new SvcProcess(SERVE, parts())
    const url = await svc.serving()
    expect(await claim(url)).toMatchObject({ status: 204 })
    {
      await using _lock = await strangers(1, 'begin; lock table jobs in access exclusive mode')
      const start = performance.now()
      const waiting = Array.from({ length: 30 }, () => claim(url))
      expect(await ask(url, '/healthz')).toMatchObject({ status: 200 })
      // 2 s for the lock or in the queue behind it; one after the other they would take a minute.
      for (const { status, retryAfter } of await Promise.all(waiting)) {
        expect([status, Number(retryAfter)]).toEqual([503, expect.any(Number)])
      }
      expect(performance.now() - start).toBeLessThan(20_000)
    }
    expect(await claim(url)).toMatchObject({ status: 204 })
  },
  PATIENCE_MS,
)

test(
  'When strangers hold all connections of the database a server without any is 503 and not crashed, until they leave',
  async () => {
    await using svc = new SvcProcess(SERVE, parts())
    const url = await svc.serving()
    {
      await using _crowd = await strangers(40, 'select 1')
      const [beat, health] = [await heartbeat(url), await ask(url, '/healthz')]
      // A connection that it had before it keeps.
      expect([200, 503]).toContain(beat.status)
      expect([200, 503]).toContain(health.status)
      for (const answer of await Promise.all(Array.from({ length: 10 }, () => claim(url)))) {
        expect(answer.status === 204 || answer.status === 503).toBe(true)
      }
    }
    expect(await until(200, () => heartbeat(url))).toMatchObject({ body: { ack: true } })
    await until(200, () => ask(url, '/healthz'))
  },
  PATIENCE_MS,
)
