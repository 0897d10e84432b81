import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { shellWord } from '@svc/core/adapters'
import { Recording } from '../../../../test/support/recording-io.ts'
import { keepSession } from '../../src/connect/contexts.ts'
import { SOURCES, SvcProcess } from '../support/svc-process.ts'
import { hostileServer, type Said } from '../terminal/hostile-server.ts'
import { commandsIn, forgedIn, HOSTILE } from '../terminal/hostile-text.ts'

const PATIENCE_MS = 120_000
// From util-linux: it runs a command at a terminal of its own and prints the output there, to the byte.
const SCRIPT = '/usr/bin/script'
const atTerminal = existsSync(SCRIPT) ? it : it.skip

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const commandOf = (args: readonly string[]): string =>
  [process.execPath, ...SOURCES, ...args].map(shellWord).join(' ')
const environment = () => ({ PATH: process.env.PATH, HOME: home, TERM: 'xterm' })

/** Everything that a terminal gets of a command, stdout and stderr. */
async function screenOf(args: readonly string[]): Promise<string> {
  const options = { cwd: home, env: environment() }
  const { stdout } = await promisify(execFile)(SCRIPT, ['-qc', commandOf(args), '/dev/null'], options)
  return stdout.replaceAll('\r\n', '\n')
}

const servers = [
  { id: HOSTILE, hostname: HOSTILE, state: HOSTILE, label: HOSTILE, version: HOSTILE, org: HOSTILE },
]
const refused: Said = { status: 409, body: { code: 'ambiguous', detail: HOSTILE, candidates: [HOSTILE] } }

atTerminal.each<[string, Said]>([
  ['fleet servers', { body: { servers } }],
  ['fleet servers --json', { body: { servers } }],
  ['fleet drain edge-1', refused],
])(
  'At a real terminal svc %s writes no byte that commands it',
  async (words, said) => {
    await using server = await hostileServer(() => said)
    await keepSession({ env: {}, home }, { origin: server.url, session: 'svc_session=v1.a.b' })
    const screen = await screenOf([...words.split(' '), '--url', server.url])
    expect(screen).toContain('hidden')
    expect(commandsIn(screen)).toEqual([])
    expect(forgedIn(screen)).toEqual([])
  },
  PATIENCE_MS,
)

atTerminal(
  'At a real terminal the log of a job is raw with --raw alone',
  async () => {
    const line = '\u001b]52;c;ZXZpbA==\u0007'
    const log = { logs: [{ line, attempt: 1 }], state: 'succeeded', more: false, next: 1, done: true }
    await using server = await hostileServer(() => ({ body: log }))
    await keepSession({ env: {}, home }, { origin: server.url, session: 'svc_session=v1.a.b' })
    const args = ['jobs', 'logs', 'job_1', '--url', server.url]
    expect(await screenOf(args)).toBe(']52;c;ZXZpbA==\n')
    expect(await screenOf([...args, '--raw'])).toBe(`${line}\n`)
  },
  PATIENCE_MS,
)

const FAULTS = {
  exception: 'setImmediate(() => { throw new Error(text) })',
  rejection: 'void Promise.reject(new Error(text))',
}

it.each(Object.entries(FAULTS))(
  'An error that reached nobody, an %s, is said without its commands',
  async (_kind, throwing) => {
    const code = `const text = ${JSON.stringify(HOSTILE)}; process.on('SIGUSR2', () => { ${throwing} })`
    const preload = `data:text/javascript,${encodeURIComponent(code)}`
    const asked = Promise.withResolvers<void>()
    // Keeps the command waiting.
    const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await keepSession({ env: {}, home }, { origin: url, session: 'svc_session=v1.a.b' })
    await using svc = new SvcProcess(['jobs', 'list', '--url', url], {
      cwd: home,
      program: ['--import', preload, ...SOURCES],
    })
    await asked.promise
    svc.kill('SIGUSR2')
    expect(await svc.end()).toBe(1)
    server.close()
    expect(svc.err.text).toMatch(/^svc: unexpected fault: .*hidden/)
    expect(commandsIn(svc.err.text)).toEqual([])
    expect(forgedIn(svc.err.text)).toEqual([])
  },
  PATIENCE_MS,
)

atTerminal.each([
  ['Ctrl-C', '\u0003', 130, ['New password: ']],
  ['Ctrl-D', '\u0004', 2, ['New password: ', 'Once more: ']],
])(
  'At a real terminal %s at a password ends the command without a trace',
  async (_key, typed, code, prompts) => {
    const screen = new Recording()
    const command = commandOf(['users', 'set-password', 'ada@example.com'])
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      ...{ cwd: home, env: environment() },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    child.stdout.setEncoding('utf8').on('data', (text: string) => screen.write(text.replaceAll('\r\n', '\n')))
    try {
      for (const prompt of prompts) {
        await screen.until(prompt)
        child.stdin.write(typed)
      }
      expect(await ended).toEqual([code, null])
      expect(screen.text).toMatch(/\nsvc: (interrupted|no password came on standard input)\n$/)
    } finally {
      child.kill()
      await ended
    }
  },
  PATIENCE_MS,
)
