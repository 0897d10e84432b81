import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { SystemReport } from '@svc/core'
import { SYSTEM_DETAILS } from '@svc/core/adapters'
import { migrate, openStorage } from '@svc/core/sql'
import { embeddedFolder, testDatabase } from '@svc/testing'
import { adviceOn } from '../../src/commands/doctor/advice.ts'
import { isAtLeast } from '../../src/commands/doctor/program-checks.ts'
import { CliBench } from '../support/cli-bench.ts'

const NOBODY = 65_534
/** Only root can give a folder to somebody else. */
const asRoot = process.getuid?.() === 0 ? it : it.skip

describe('svc doctor', () => {
  let bench: CliBench
  beforeEach(async () => {
    bench = await CliBench.open()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  it('prints the report of the control plane and ends with 0 while nothing fails', async () => {
    const report = await bench.json('doctor')
    expect(Object.keys(report)).toEqual(['ok', 'checked_at', 'duration_ms', 'version', 'checks'])
    const { exitCode, out, err } = await bench.run('doctor')
    expect(exitCode).toBe(0)
    expect(out.text).toMatch(/^ +CHECK +STATUS +TIME +WHAT IT MEANS\n/)
    expect(out.text).toMatch(/^! +database +warn +\d+ ms +everything ends with the process/m)
    expect(out.text).toMatch(/^✓ +signing-key +ok/m)
    expect(out.text).toMatch(/^– +language-model +skipped/m)
    expect(err.text).toMatch(/^[^\n]*licenses restrict[^\n]*\n$/)
  })

  it('ends with 1 when a check fails, and says how many', async () => {
    await bench.plane.scheduler.tick()
    bench.clock.advance({ days: 1 })
    const { exitCode, out, err } = await bench.run('doctor')
    expect(exitCode).toBe(1)
    expect(out.text).toMatch(/^✗ +scheduler +fail +- +no tick for too long/m)
    expect(err.text).toMatch(/^1 of \d+ checks fail; /)
    expect((await bench.run('doctor', '--json')).document).toMatchObject({ ok: false })
  })
})

describe('svc doctor --local', () => {
  let cwd: string
  let bench: CliBench
  let listening: Server | undefined
  const held: AsyncDisposable[] = []

  beforeEach(async () => {
    cwd = await realpath(await mkdtemp(join(tmpdir(), 'svc-doctor-')))
    bench = await CliBench.open()
  })
  afterEach(async () => {
    listening?.close()
    listening = undefined
    for (const each of held.splice(0).reverse()) await each[Symbol.asyncDispose]()
    await bench[Symbol.asyncDispose]()
    await rm(cwd, { recursive: true, force: true })
  })

  // Names are asked of a server on this machine that is not there: nothing leaves it.
  const BASE = { MONITOR_DNS_SERVERS: '127.0.0.1:9', PORT: '0', PATH: process.env.PATH }

  async function examined(env: Record<string, string | undefined> = {}, ...args: readonly string[]) {
    const { io, ended } = bench.start(['doctor', '--local', '--json', ...args], {
      cwd,
      env: { ...BASE, ...env },
    })
    await ended
    const { checks } = io.document as unknown as SystemReport
    const lines = checks.map(({ name, status, detail }) => [name, detail ? `${status}: ${detail}` : status])
    return { io, lines: Object.fromEntries(lines) as Record<string, string> }
  }

  async function portOf(answer: object): Promise<string> {
    listening = createServer((_, response) => response.end(JSON.stringify(answer)))
    await new Promise<void>((resolve) => listening?.listen(0, '127.0.0.1', resolve))
    return String((listening.address() as AddressInfo).port)
  }

  it('looks at everything that a start needs, without a server', async () => {
    const { io, lines } = await examined()
    expect(lines).toEqual({
      settings: 'ok',
      'settings-monitors': 'ok',
      'settings-webhooks': 'ok',
      'settings-email': 'ok',
      database: 'warn: in-memory',
      'signing-key': 'warn: unset',
      'session-secret': 'warn: new-at-each-start',
      dns: 'fail: no-answer',
      port: 'ok',
      node: 'ok',
      git: 'ok',
    })
    expect(io.exitCode).toBe(1)
  })

  it('names bad settings without their values, and looks at the rest all the same', async () => {
    const env = { PORT: '1x', SERVICE_LICENCE_KEYS: 'hunter2', CHAT_RATE_LIMIT: 'hunter3' }
    const { io, lines } = await examined(env)
    expect(lines).toMatchObject({ settings: 'fail: bad-setting', node: 'ok' })
    expect(io.err.text).toContain('PORT must be a whole number')
    expect(io.err.text).toContain('did you mean SERVICE_LICENSE_KEYS?')
    expect(`${io.err.text}${io.out.text}`).not.toContain('hunter')
    expect((await examined({ CHAT_RATE_LIMIT: 'many' })).lines).toMatchObject({
      settings: 'ok',
      'settings-chat': 'fail: bad-setting',
    })
  })

  it('tells a folder that is not there yet, one that is free, and one that is being served', async () => {
    expect((await examined({}, '--data-dir', 'data')).lines['data-folder']).toBe('ok: not-there-yet')
    await mkdir(join(cwd, '.svc'), { mode: 0o700 })
    expect((await examined()).lines).toMatchObject({ 'data-folder': 'ok', disk: 'ok' })
    await embeddedFolder(join(cwd, 'data'))
    held.push(await openStorage({ dataDir: join(cwd, 'data') }))
    expect((await examined({ SERVICE_DATA_DIR: 'data' })).lines['data-folder']).toBe('ok: served')
    expect((await examined({ SERVICE_DATA_DIR: '/proc/1/nowhere' })).lines['data-folder']).toBe(
      'fail: not-writable',
    )
    // A new embedded database takes seconds.
  }, 60_000)

  it('says that a data folder is open to others, and leaves it as it was', async () => {
    const folder = join(cwd, '.svc')
    await mkdir(folder, { mode: 0o700 })
    for (const mode of [0o750, 0o705, 0o711]) {
      await chmod(folder, mode)
      const { io, lines } = await examined()
      expect([mode, lines['data-folder']]).toEqual([mode, 'warn: open-to-others'])
      expect((await stat(folder)).mode & 0o777).toBe(mode)
      expect(adviceOn({ name: 'data-folder', status: 'warn', detail: 'open-to-others' })).toContain(
        'chmod 700',
      )
      expect(io.document).toMatchObject({ checks: expect.any(Array) })
    }
  })

  asRoot('says that a data folder belongs to another user, and writes nothing into it', async () => {
    const folder = join(cwd, '.svc')
    await mkdir(folder, { mode: 0o700 })
    await chown(folder, NOBODY, NOBODY)
    const { mtimeMs } = await stat(folder)
    expect((await examined()).lines['data-folder']).toBe('fail: belongs-to-another')
    expect((await stat(folder)).mtimeMs).toBe(mtimeMs)
  })

  it('tells a server that is migrated, one that is not, and one that is not there', async () => {
    const database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
    held.push(database)
    const { url } = database
    expect((await examined({ DATABASE_URL: url })).lines).toMatchObject({
      database: 'ok',
      migrations: 'fail: pending',
      clock: expect.any(String),
    })
    await migrate(url)
    expect((await examined({ DATABASE_URL: url })).lines).toMatchObject({ database: 'ok', migrations: 'ok' })
    const gone = await examined({ DATABASE_URL: 'postgres://svc:hunter2@127.0.0.1:9/svc' })
    expect(gone.lines).toMatchObject({ database: 'fail: unreachable', migrations: 'fail: unreachable' })
    expect(gone.io.out.text).not.toContain('hunter2')
  })

  it('tells a port that a control plane has from one that something else has', async () => {
    expect((await examined({ PORT: await portOf({ hello: 'world' }) })).lines.port).toBe('fail: in-use')
    listening?.close()
    expect((await examined({ PORT: await portOf({ ok: true, checks: {} }) })).lines.port).toBe('ok: served')
    expect((await examined({ SERVICE_HOST: '192.0.2.1' })).lines.port).toBe('fail: not-allowed')
  })

  it('misses git where there is none', async () => {
    expect((await examined({ PATH: cwd })).lines.git).toBe('warn: not-found')
  })
})

describe('what doctor makes of words', () => {
  it('has advice for each of them, which is not the word itself', () => {
    for (const detail of SYSTEM_DETAILS) {
      expect(adviceOn({ name: 'x', status: 'fail', detail })).not.toBe(detail)
    }
  })

  it.each([
    ['22.19.0', '22.19', true],
    ['24.0.0', '22.19', true],
    ['22.18.9', '22.19', false],
    ['20.20.2', '22.19', false],
    ['9.99.0', '22.19', false],
  ])('Node %s for a release that wants %s: %s', (have, want, says) => {
    expect(isAtLeast(have, want)).toBe(says)
  })
})
