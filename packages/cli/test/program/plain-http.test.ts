import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import { keepSession } from '../../src/connect/contexts.ts'
import { plainHttpWarning } from '../../src/connect/plain-http.ts'
import '../../../../test/support/standard-input.ts'
import { hostileServer } from '../terminal/hostile-server.ts'

test.each(['https://plane.example', 'http://localhost:8080', 'http://127.8.0.1', 'http://[::1]:80'])(
  'Nothing is said of %s',
  (url) => {
    expect(plainHttpWarning(url, 'the session')).toBeUndefined()
  },
)

test.each([
  'http://plane.example',
  'http://10.0.0.1',
  'http://127.0.0.1.example',
  'http://localhost.example',
])('It is said of %s that others can read along', (url) => {
  expect(plainHttpWarning(url, 'the session')).toBe(
    'the session travels unencrypted: use https for a plane on another machine',
  )
})

test.each([
  ['login --email ada@example.com', 'the password'],
  ['logout', 'the session'],
  ['account sessions', 'the session'],
  ['jobs list', 'the session'],
  ['fleet servers', 'the session'],
  ['fleet servers --key svc_key', 'the license key'],
])('svc %s says once that %s travels unencrypted, and nothing on this machine', async (words, what) => {
  const home = await mkdtemp(join(tmpdir(), 'svc-plain-'))
  await using server = await hostileServer(() => ({ body: { jobs: [], servers: [], sessions: [] } }))
  const warning = `svc: warning: ${what} travels unencrypted: use https for a plane on another machine\n`
  // An address that stays on this machine and is not known to.
  for (const [url, said] of [
    [server.url.replace('127.0.0.1', '0.0.0.0'), [warning]],
    [server.url, []],
  ] as const) {
    const io = new RecordingIo({ args: [...words.split(' '), '--url', url], home, secrets: ['password'] })
    await keepSession(io, { origin: url, session: 'svc_session=v1.a.b' })
    await runProgram(io)
    expect(io.err.text.match(/^svc: warning: .*\n/gm) ?? []).toEqual(said)
  }
  await rm(home, { recursive: true })
})
