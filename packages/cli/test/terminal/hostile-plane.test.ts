import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { runProgram } from '../../src/commands/program.ts'
import { keepSession } from '../../src/connect/contexts.ts'
import { PASSWORD } from './every-command.ts'
import '../../../../test/support/standard-input.ts'
import { hostileServer, type Said } from './hostile-server.ts'
import { commandsIn, forgedIn, HOSTILE } from './hostile-text.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-terminal-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const newIo = (args: readonly string[]) =>
  new RecordingIo({ args, home, cwd: home, isTty: true, secrets: [PASSWORD, PASSWORD, PASSWORD] })

/** Runs a command at a terminal, with a session at a server that answers so. */
async function run(words: string, say: (path: string) => Said): Promise<RecordingIo> {
  await using server = await hostileServer(say)
  const io = newIo([...words.split(' '), '--url', server.url])
  await keepSession(io, { origin: server.url, session: 'svc_session=v1.a.b' })
  await runProgram(io)
  return io
}

function expectTame({ out, err }: RecordingIo): void {
  const text = `${out.text}\n${err.text}`
  expect(commandsIn(text)).toEqual([])
  expect(forgedIn(text)).toEqual([])
}

const COMMANDS = [
  'fleet drain edge-1',
  'fleet servers',
  'jobs logs job_1',
  'login --email ada@example.com',
  'logout',
  'account password',
  'account sessions',
  'account end-session 1f',
  'account second-factor add',
  'account second-factor remove',
]

const problem = (status: number, code: string): Said => ({
  status,
  body: { code, error: HOSTILE, detail: HOSTILE, details: [HOSTILE], candidates: [HOSTILE] },
})

describe('A control plane that means harm', () => {
  test.each(COMMANDS)('gives svc %s no refusal that commands the terminal', async (words) => {
    const refusals = [problem(409, 'ambiguous'), problem(400, 'invalid-input'), problem(500, HOSTILE)]
    for (const refusal of refusals) {
      const io = await run(words, () => refusal)
      expect(io.exitCode).not.toBe(0)
      expect(io.err.text).toContain('svc: ')
      expectTame(io)
    }
  })

  test('A problem whose fields are no texts is a refusal like any other', async () => {
    const body = {
      code: 'ambiguous',
      detail: { toString: 1 },
      details: 7,
      candidates: [{ toString: 1 }, 'a'],
    }
    const { err, exitCode } = await run('fleet drain edge-1', () => ({ status: 409, body }))
    expect(exitCode).toBe(2)
    expect(err.text).toBe('svc: several have this name: use the full one\n  a\n')
  })

  test.each<[string, object, string]>([
    [
      'account sessions',
      { sessions: [{ id: HOSTILE, created_at: HOSTILE, last_used_at: 1, expires_at: 1 }] },
      'hidden',
    ],
    ['account end-session 1f', { ended: HOSTILE }, 'sessions ended'],
    [
      'account second-factor add',
      { otpauth_uri: HOSTILE, secret: HOSTILE, recovery_codes: [HOSTILE] },
      'hidden',
    ],
  ])('gives svc %s no answer that commands the terminal', async (words, body, shown) => {
    const io = await run(words, () => ({ body }))
    expect(io.out.text).toContain(shown)
    expect(io.exitCode).toBe(0)
    expectTame(io)
  })

  test('sends an agent away without commanding the terminal of its log', async () => {
    await using server = await hostileServer(() => problem(403, 'license-rejected'))
    const agent = ['agent', 'run', '--once', '--state-dir', join(home, 'state'), '--key', 'svc_key']
    const io = newIo([...agent, '--url', server.url])
    await runProgram(io)
    expect(io.exitCode).not.toBe(0)
    expectTame(io)
  })
})

describe('A path that means harm', () => {
  test.each(['serve', 'up', 'migrate', 'mint-key', 'jobs list'])(
    'does not command the terminal of svc %s',
    async (name) => {
      await writeFile(join(home, 'file'), '')
      const io = newIo([...name.split(' '), '--data-dir', `file/${HOSTILE}`])
      await runProgram(io)
      expect(io.exitCode).not.toBe(0)
      expect(io.err.text).toContain('svc: ')
      expect(commandsIn(`${io.out.text}${io.err.text}`)).toEqual([])
    },
  )
})
