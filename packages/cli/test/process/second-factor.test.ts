import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { newDataKey } from '@svc/core'
import { migratedDatabase, oneTimeCode } from '@svc/testing'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'seventeen green bicycles in a row'
const REFUSED = 4

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('A second factor is set up, asked for at sign-in by every replica, and removed, by the commands alone', async () => {
  await using database = await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const env = {
    DATABASE_URL: database.url,
    SERVICE_SESSION_SECRET: 'a-session-secret-of-a-process-0123456789',
    SERVICE_LOG_LEVEL: 'trace',
    SERVICE_DATA_KEYS: newDataKey('k1'),
    NODE_ENV: 'production',
  }
  const parts = { cwd, env }
  await using one = new SvcProcess(['serve', '--port', '0'], parts)
  const url = await one.serving()
  await using other = new SvcProcess(['serve', '--port', '0'], parts)
  const otherUrl = await other.serving()
  const add = ['users', 'add', EMAIL, '--role', 'super_admin', '--password-stdin']
  expect(await runSvc(add, { ...parts, input: `${PASSWORD}\n` })).toMatchObject({ code: 0 })
  const login = (at: string, ...lines: readonly string[]) =>
    runSvc(['login', '--url', at, '--email', EMAIL], { cwd, input: `${[PASSWORD, ...lines].join('\n')}\n` })

  expect(await login(url)).toMatchObject({ code: 0 })
  // The input stays open: the command asks when it has shown the secret, and ends by itself.
  await using setup = new SvcProcess(['account', 'second-factor', 'add', '--url', url, '--json'], {
    cwd,
    typed: true,
  })
  setup.type(PASSWORD)
  await setup.until('err', 'for its first code.')
  const [, secret = ''] = /secret ([A-Z2-7]{32})\n/.exec(setup.err.text) ?? []
  setup.type(oneTimeCode(secret, new Date()))
  expect(await setup.end()).toBe(0)
  const { recovery_codes: codes } = JSON.parse(setup.out.text) as { recovery_codes: string[] }
  expect(codes).toHaveLength(10)

  expect(await jsonHere(['users', 'list'], parts)).toMatchObject({ users: [{ second_factor: true }] })
  expect(await login(url)).toMatchObject({ code: REFUSED })
  const next = oneTimeCode(secret, new Date(Date.now() + 30_000))
  expect(await login(url, next)).toMatchObject({ code: 0 })
  expect(await login(otherUrl, next)).toMatchObject({ code: REFUSED })
  expect(await login(otherUrl, codes[0] ?? '')).toMatchObject({ code: 0 })
  expect(await login(otherUrl, codes[0] ?? '')).toMatchObject({ code: REFUSED })
  const remove = ['account', 'second-factor', 'remove', '--url', otherUrl]
  const removed = await runSvc(remove, { cwd, input: `${PASSWORD}\n${codes[1]}\n` })
  expect(removed).toMatchObject({ code: 0, out: 'the second factor is removed\n' })
  expect(await jsonHere(['users', 'reset-second-factor', EMAIL], parts)).toMatchObject({ removed: false })
  for (const server of [one, other]) {
    server.kill('SIGTERM')
    expect(await server.end()).toBe(0)
  }
  const log = one.err.text + other.err.text
  expect(log).toContain('"reason":"second factor"')
  for (const typed of [secret, next, ...codes, PASSWORD])
    expect([typed, log.includes(typed)]).toEqual([typed, false])
}, 180_000)
