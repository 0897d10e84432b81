import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { shellWord } from '@svc/core'
import { keepSession } from '../../src/kept-sessions.ts'
import { SOURCES } from '../support/svc-process.ts'
import { hostileServer, type Said } from '../terminal/hostile-server.ts'
import { commandsIn, forgedIn, HOSTILE } from '../terminal/hostile-text.ts'

const PATIENCE_MS = 120_000
// From util-linux: it runs a command at a terminal of its own and prints what came out there, to the byte.
const SCRIPT = '/usr/bin/script'
const atTerminal = existsSync(SCRIPT) ? it : it.skip

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** Everything that a terminal gets of a command, stdout and stderr. */
async function screenOf(args: readonly string[]): Promise<string> {
  const command = [process.execPath, ...SOURCES, ...args].map(shellWord).join(' ')
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm' }
  const { stdout } = await promisify(execFile)(SCRIPT, ['-qc', command, '/dev/null'], { cwd: home, env })
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
    await keepSession({ env: {}, home }, server.url, 'svc_session=v1.a.b')
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
    await keepSession({ env: {}, home }, server.url, 'svc_session=v1.a.b')
    const args = ['jobs', 'logs', 'job_1', '--url', server.url]
    expect(await screenOf(args)).toBe(']52;c;ZXZpbA==\n')
    expect(await screenOf([...args, '--raw'])).toBe(`${line}\n`)
  },
  PATIENCE_MS,
)
