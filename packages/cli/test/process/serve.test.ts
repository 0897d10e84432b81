import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Environment } from '@svc/core'
import { embeddedFolder, migratedDatabase, testDatabase } from '@svc/testing'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'
import { WireHost } from '../support/wire-host.ts'

const POSTGRES = process.env.SVC_TEST_POSTGRES ?? ''
const POSTGRES_VERSION = process.env.SVC_TEST_POSTGRES_VERSION

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  // A first start on an empty folder takes a second more; up.test.ts has it.
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const SERVE = ['serve', '--port', '0']
// Long enough to answer within it, short enough to wait for its end.
const SHORT_LEASE = { SERVICE_JOB_LEASE_SECONDS: '2' }

interface Place extends AsyncDisposable {
  readonly args: readonly string[]
  readonly env: Environment
}

async function folder(): Promise<Place> {
  return { args: [...SERVE, '--data-dir', '.svc'], env: {}, [Symbol.asyncDispose]: async () => {} }
}

async function postgres(): Promise<Place> {
  const database = await migratedDatabase(POSTGRES)
  return {
    args: SERVE,
    env: { DATABASE_URL: database.url },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

describe.each([
  ['PGlite in a folder', folder],
  [`PostgreSQL ${POSTGRES_VERSION}`, postgres],
])('kill -9 of a server on %s', (_, place) => {
  test('Between claim and status it loses nothing: a host goes on, and the job of a host that is gone is taken over', async () => {
    await using where = await place()
    const parts = { cwd, env: { ...where.env, ...SHORT_LEASE } }
    await using first = new SvcProcess(where.args, parts)
    const url = await first.serving()
    const { license, key } = await jsonHere<{ license: { id: string }; key: string }>(
      ['licenses', 'issue'],
      parts,
    )
    const enqueue = ['jobs', 'enqueue', 'prune', '--license', license.id]
    const kept = (await jsonHere<{ job: { id: string } }>(enqueue, parts)).job.id
    const taken = (await jsonHere<{ job: { id: string } }>(enqueue, parts)).job.id
    const [steady, doomed, heir] = ['a', 'b', 'c'].map((name) => new WireHost(key, name.repeat(40))) as [
      WireHost,
      WireHost,
      WireHost,
    ]
    const job = await steady.claimed(url)
    const lost = await doomed.claimed(url)
    expect([job.id, lost.id]).toEqual([kept, taken])
    expect(await steady.say(url, job, 'said before')).toBe(200)
    first.kill('SIGKILL')
    expect(await first.end()).toBeUndefined()

    await using second = new SvcProcess(where.args, parts)
    const again = await second.serving()
    expect(await steady.say(again, job, 'said after')).toBe(200)
    expect(await steady.report(again, job, 'succeeded')).toBe(200)
    const taken2 = await heir.claimed(again)
    expect(taken2).toMatchObject({ id: taken, attempt: 2 })
    expect(await doomed.report(again, lost, 'succeeded')).toBe(404)
    expect(await heir.report(again, taken2, 'succeeded')).toBe(200)

    const { jobs } = await jsonHere<{ jobs: { state: string }[] }>(['jobs', 'list'], parts)
    expect(jobs.map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
    expect((await runSvc(['jobs', 'logs', kept], parts)).out).toBe('said before\nsaid after\n')
    const { audit } = await jsonHere<{ audit: { operation: string; actor: string }[] }>(
      ['audit', 'list'],
      parts,
    )
    expect(audit.map(({ operation }) => operation)).toEqual([
      'jobs.enqueue',
      'jobs.enqueue',
      'licenses.issue',
    ])
    expect(audit[0]?.actor).toMatch(/^(?:local:)?cli:.+@.+$/)
  }, 60_000)
})

test('SIGTERM ends a server with code 0, its folder free for the next and its socket gone', async () => {
  await using svc = new SvcProcess([...SERVE, '--data-dir', '.svc'], { cwd })
  const url = await svc.serving()
  expect((await stat(join(cwd, '.svc', 'control.sock'))).mode & 0o777).toBe(0o600)
  expect((await fetch(`${url}/healthz`, { headers: { connection: 'close' } })).status).toBe(200)
  svc.kill('SIGTERM')
  expect(await svc.end()).toBe(0)
  await expect(stat(join(cwd, '.svc', 'control.sock'))).rejects.toThrow('ENOENT')
  expect(await jsonHere(['jobs', 'list'], { cwd })).toEqual({ jobs: [] })
}, 60_000)

test('A server of PostgreSQL makes the folder of its control socket', async () => {
  await using where = await postgres()
  await using svc = new SvcProcess([...where.args, '--data-dir', 'run/svc'], { cwd, env: where.env })
  await svc.serving()
  expect((await stat(join(cwd, 'run', 'svc'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(cwd, 'run', 'svc', 'control.sock'))).mode & 0o777).toBe(0o600)
  svc.kill('SIGTERM')
  expect(await svc.end()).toBe(0)
}, 60_000)

test('While a balancer is given time to notice, health says 503; a second signal ends the server at once with code 1', async () => {
  const env = { SERVICE_DRAIN_DELAY_SECONDS: '300' }
  await using svc = new SvcProcess(SERVE, { cwd, env })
  const url = await svc.serving()
  svc.kill('SIGTERM')
  await svc.until('err', 'asked to end')
  const health = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  expect(health.status).toBe(503)
  await health.arrayBuffer()
  svc.kill('SIGINT')
  expect(await svc.end()).toBe(1)
}, 60_000)

test('A second server on the same folder is refused with code 1 and the process that has it; the first goes on', async () => {
  const parts = { cwd }
  await using svc = new SvcProcess([...SERVE, '--data-dir', '.svc'], parts)
  await svc.serving()
  const second = await runSvc([...SERVE, '--data-dir', '.svc'], parts)
  expect(second.code).toBe(1)
  expect(second.err).toContain(`process ${svc.pid} has `)
  expect(await jsonHere(['jobs', 'list'], parts)).toEqual({ jobs: [] })
}, 60_000)

test('A port that is in use is said so, with code 1', async () => {
  await using svc = new SvcProcess(SERVE, { cwd })
  const { port } = new URL(await svc.serving())
  const second = await runSvc(['serve', '--port', port], { cwd })
  expect(second.code).toBe(1)
  expect(second.err).toContain(
    `svc: 127.0.0.1:${port} is in use: stop the program that listens there, or choose another port`,
  )
}, 60_000)

test('All bad settings are named at once, without their values, with code 2', async () => {
  const env = { PORT: 'eighty', DATABASE_URL: 'mysql://u:hidden@h/d' }
  const { code, err, out } = await runSvc(['serve'], { cwd, env })
  expect(code).toBe(2)
  expect(err).toMatch(/PORT must be .*\n.*DATABASE_URL must be/)
  expect(err + out).not.toContain('hidden')
})

test('A database that has not been migrated is not served, and --migrate migrates it', async () => {
  await using database = await testDatabase(POSTGRES)
  const parts = { cwd, env: { DATABASE_URL: database.url } }
  {
    await using waiting = new SvcProcess(SERVE, parts)
    await waiting.until('err', 'run svc migrate, or start with --migrate')
    waiting.kill('SIGTERM')
    expect(await waiting.end()).toBe(0)
    expect(waiting.err.text).not.toContain('"msg":"serving"')
  }
  await using svc = new SvcProcess([...SERVE, '--migrate'], parts)
  await svc.serving()
  svc.kill('SIGTERM')
  expect(await svc.end()).toBe(0)
}, 60_000)

test('An unreachable database ends every command but serve with code 3', async () => {
  const parts = { cwd, env: { DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/none' } }
  for (const args of [['migrate'], ['jobs', 'list']]) {
    const { code, err, out } = await runSvc(args, parts)
    expect({ args, code }).toEqual({ args, code: 3 })
    expect(err + out).not.toContain('hidden')
  }
}, 60_000)
