import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from '@jest/globals'

const SCRIPT = fileURLToPath(new URL('../../scripts/chaos.ts', import.meta.url))
const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']

// A temporary folder of its own keeps the folders of other suites out. The command shows progress only
// outside of CI.
const ROOT = mkdtempSync(join(tmpdir(), 'svc-chaos-test-'))
// PostgreSQL may run as another user, who must be able to enter the folder.
chmodSync(ROOT, 0o755)
const ENVIRONMENT = { ...process.env, TMPDIR: ROOT, CI: 'false' }
afterAll(() => rmSync(ROOT, { recursive: true }))

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [...FLAGS, SCRIPT, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: ENVIRONMENT,
  })
  const out = text(child.stdout)
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk
  })
  const end = once(child, 'close').then(async ([code]) => ({ code, out: await out, err }))
  /** Waits until standard error contains these words, or until the command ends. */
  const heard = async (words: string) => {
    while (!err.includes(words) && child.exitCode === null)
      await Promise.race([once(child.stderr, 'data'), end])
  }
  return { child, end, heard }
}

const folders = () => readdirSync(ROOT).filter((name) => /^svc-chaos-.{6}$/.test(name))

test('A planted fault is found by real processes', async () => {
  const bug = 'a status is taken for a job of another license'
  const { code, out, err } = await start('--bug', bug, '--seconds', '8', '--seed', '1').end
  expect(`${out}${code === 0 ? '' : err}`).toMatch(
    new RegExp(`^found: ${bug}, after \\d+ s of fast jobs, by `),
  )
  expect(code).toBe(0)
}, 400_000)

test('Ctrl-C leaves no process and no folder behind', async () => {
  const { child, end, heard } = start('--storage', 'folder', '--seconds', '60')
  await heard('fast: ')
  expect(folders()).toHaveLength(1)
  child.kill('SIGINT')
  expect((await end).code).toBe(1)
  expect(folders()).toEqual([])
}, 200_000)

test.each([
  [['--profile', 'quick'], '--profile takes one of: fast, slow, both'],
  [['--storage', 'disk'], '--storage takes one of: postgresql, folder'],
  [['--seconds', 'x'], '--seconds takes a number above 0'],
  [['--bug', 'none'], 'commits are not waited for'],
])(
  '%p is refused with code 2',
  async (args, said) => {
    const { code, err } = await start(...args).end
    expect(err).toContain(said)
    expect(code).toBe(2)
  },
  60_000,
)
