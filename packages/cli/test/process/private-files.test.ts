import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import { RecordingOutput } from '../../../../test/support/recording-io.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

const PATIENCE_MS = 180_000
const NOBODY = 65_534
/** Acting as another user, and giving files away, is for root alone. */
const asRoot = process.getuid?.() === 0 ? test : test.skip

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  // Others may come as far as the data folder.
  await chmod(cwd, 0o755)
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

/** A program of another user. */
class Stranger implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #gone: Promise<unknown>
  readonly out = new RecordingOutput(false)

  constructor(program: string, args: readonly string[]) {
    const env = { PATH: process.env.PATH }
    this.#child = spawn(program, args, {
      cwd: '/',
      env,
      uid: NOBODY,
      gid: NOBODY,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.out.write(text))
    this.#child.stderr?.resume()
    this.#gone = once(this.#child, 'close')
  }

  /** Its output, when it has ended. */
  async said(): Promise<string> {
    await this.#gone
    return this.out.text
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#gone
  }
}

/** Tries to connect again and again, and says so when it is let in. */
const KNOCKING = `
  const { connect } = require('node:net')
  const knock = () => {
    const socket = connect(process.argv[1])
    socket.once('connect', () => { console.log('in'); socket.destroy(); setImmediate(knock) })
    socket.once('error', () => setImmediate(knock))
  }
  console.log('knocking')
  knock()`

/** Everything below `folder` with rights for others, with its mode. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mode } = await stat(path)
      return (mode & 0o077) === 0 ? [] : [`${path} ${(mode & 0o777).toString(8)}`]
    }),
  )
  return found.flat()
}

describe.each([
  ['022', 0o755],
  ['000', 0o777],
])('With the mask %s, in a folder that is open to others', (mask, mode) => {
  const shell = (args: readonly string[]) => ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh', ...args]

  test(
    'a service leaves no file that another user could read',
    async () => {
      const folder = join(cwd, 'data')
      await mkdir(folder)
      await chmod(folder, mode)
      await using svc = new SvcProcess(['serve', '--port', '0', '--data-dir', folder], {
        cwd,
        through: shell,
      })
      await svc.serving()
      expect((await stat(folder)).mode & 0o777).toBe(0o700)
      expect(await openToOthers(folder)).toEqual([])
      svc.kill('SIGTERM')
      expect(await svc.end()).toBe(0)
      // A command in process makes files too.
      const added = await runSvc(['tenants', 'add', 'acme', '--data-dir', folder], { cwd, through: shell })
      expect(added.code).toBe(0)
      expect(await openToOthers(folder)).toEqual([])
    },
    PATIENCE_MS,
  )

  asRoot(
    'another user reads nothing in it, and never reaches its socket while it starts',
    async () => {
      await using database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
      const folder = join(cwd, 'data')
      await mkdir(folder)
      await chmod(folder, mode)
      await using knocking = new Stranger(process.execPath, ['-e', KNOCKING, join(folder, 'control.sock')])
      await knocking.out.until('knocking')
      const env = { DATABASE_URL: database.url }
      for (let start = 0; start < 3; start += 1) {
        await chmod(folder, mode)
        const args = ['serve', '--port', '0', '--migrate', '--data-dir', folder]
        await using svc = new SvcProcess(args, { cwd, env, through: shell })
        await svc.serving()
        await using finding = new Stranger('find', [folder, '-mindepth', '1'])
        expect(await finding.said()).toBe('')
        svc.kill('SIGTERM')
        expect(await svc.end()).toBe(0)
      }
      expect(knocking.out.text).toBe('knocking\n')
    },
    PATIENCE_MS,
  )
})
