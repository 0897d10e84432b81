import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import { TRIES_ALL } from '../../../../test/support/sample.ts'
import { SvcProcess } from '../support/svc-process.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const PATIENCE_MS = 120_000
const SERVE = ['serve', '--port', '0']
const FAULT = pathToFileURL(fileURLToPath(new URL('../support/fault-on-signal.mjs', import.meta.url))).href

let cwd: string
let database: TestDatabase

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  database = await migratedDatabase(POSTGRES)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

const parts = (env: Readonly<Record<string, string>> = {}) => ({
  cwd,
  env: { DATABASE_URL: database.url, ...env },
})

/** Resolves at an event; unlike `once` of node:events it does not mind a reset. */
const heard = (socket: Socket, event: 'data' | 'close') =>
  new Promise<unknown>((resolve) => socket.once(event, resolve))

interface Exchange {
  readonly answer: string
  readonly tookMs: number
}

/** Sends `text`, and waits for the end of the connection. */
async function exchange(url: string, text: string): Promise<Exchange> {
  const start = performance.now()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  await heard(socket, 'close')
  return { answer, tookMs: performance.now() - start }
}

const CLAIM = 'POST /v1/jobs/claim HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer some-key-of-a-host\r\n'

const HEAD = 'GET /livez HTTP/1.1\r\nHost: here\r\n'
const LATE_MS = 10_000
const TIMED_OUT = /^HTTP\/1\.1 408 [\s\S]*\{"error":"request timeout"\}/
const WAITS = [
  ['a head', 10, HEAD, TIMED_OUT],
  ['a request', 30, `${CLAIM}Content-Length: 90\r\n\r\n{`, TIMED_OUT],
  ['an idle connection', 65, `${HEAD}\r\n`, /^Keep-Alive: timeout=65\r$/m],
] as const

// An ordinary run waits for the shortest; the suites of the server try all of them with short times.
test.each(TRIES_ALL ? WAITS : WAITS.slice(0, 1))(
  'A real server gives %s %i s, looking every two, and tells clients so',
  async (_, seconds, text, said) => {
    await using svc = new SvcProcess(SERVE, parts())
    const url = await svc.serving()
    const { answer, tookMs } = await exchange(url, text)
    expect(answer).toMatch(said)
    expect(tookMs).toBeGreaterThan(seconds * 1000 - 100)
    expect(tookMs).toBeLessThan(seconds * 1000 + LATE_MS)
    const { headers } = await fetch(`${url}/livez`, { headers: { connection: 'keep-alive' } })
    expect(headers.get('keep-alive')).toBe('timeout=65')
  },
  PATIENCE_MS,
)

async function opened(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket.resume()
}

const health = async (url: string): Promise<number> =>
  (await fetch(`${url}/healthz`, { headers: { connection: 'close' } })).status

const LOOK_MS = 50

test(
  'Beyond SERVICE_MAX_CONNECTIONS connections are closed at once, those before are served, and a place that is left is taken',
  async () => {
    await using svc = new SvcProcess(SERVE, parts({ SERVICE_MAX_CONNECTIONS: '3' }))
    const url = await svc.serving()
    const held = [await opened(url), await opened(url), await opened(url)]
    const surplus = await exchange(url, 'GET /livez HTTP/1.1\r\nHost: here\r\n\r\n')
    expect(surplus.answer).toBe('')
    const [first] = held as [Socket]
    const [served, left] = [heard(first, 'data'), heard(first, 'close')]
    first.write('GET /livez HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
    expect(String(await served)).toMatch(/^HTTP\/1\.1 200 /)
    await left
    expect(await health(url)).toBe(200)
    await svc.until('err', 'too many connections, further ones are closed')
    for (const socket of held) socket.destroy()
  },
  PATIENCE_MS,
)

test(
  'With few file descriptors half are for clients: those in are served from the database, the surplus is closed and logged once',
  async () => {
    await using svc = new SvcProcess(SERVE, { ...parts(), openFiles: 64 })
    const url = await svc.serving()
    const crowd: Socket[] = []
    for (let count = 0; count < 100; count += 1) crowd.push(await opened(url))
    await svc.until('err', 'too many connections, further ones are closed')
    // The first of them got in; its answer needs connections to the database.
    const [first] = crowd as [Socket]
    const answer = heard(first, 'data')
    first.write('GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n')
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /)
    for (const socket of crowd) socket.destroy()
    for (let status = 0; status !== 200; ) {
      status = await health(url).catch(() => 0)
      await pause(LOOK_MS)
    }
    expect(svc.err.text.match(/too many connections/g)).toHaveLength(1)
    svc.kill('SIGTERM')
    expect(await svc.end()).toBe(0)
  },
  PATIENCE_MS,
)

describe('An error that reached nobody', () => {
  test.each(['exception', 'rejection'])(
    'An uncaught %s is logged once without its secrets, and the server ends in order with code 1',
    async (kind) => {
      const env = { NODE_OPTIONS: `--import ${FAULT}`, PLANTED_FAULT: kind }
      await using svc = new SvcProcess(SERVE, parts(env))
      const url = await svc.serving()
      const underWay = exchange(url, 'GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
      svc.kill('SIGUSR2')
      expect(await svc.end()).toBe(1)
      expect((await underWay).answer).toMatch(/^HTTP\/1\.1 (?:200|503) /)
      const errors = svc.err.text.split('\n').filter((line) => line.includes('"level":"error"'))
      expect(errors).toHaveLength(1)
      expect(errors[0]).toContain('an error reached nobody: ending')
      expect(errors[0]).toContain('planted fault')
      expect(svc.err.text).not.toContain('hunter2')
      expect(svc.err.text).toContain('"msg":"drained"')
    },
    PATIENCE_MS,
  )
})
