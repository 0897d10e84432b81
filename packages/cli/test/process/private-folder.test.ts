import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runSvc } from '../support/svc-process.ts'

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

describe('A data folder that is not to be trusted', () => {
  /** Makes a folder as another user would, with a server that listens there; `heard` collects its input. */
  async function planted(folder: string): Promise<AsyncDisposable & { readonly heard: string[] }> {
    await mkdir(folder, { mode: 0o755 })
    const heard: string[] = []
    const server = createServer((socket) => {
      heard.push('a connection')
      socket.on('error', () => {})
      socket.on('data', (bytes) => heard.push(String(bytes)))
    })
    server.listen(join(folder, 'control.sock'))
    await once(server, 'listening')
    await chmod(join(folder, 'control.sock'), 0o777)
    await chown(join(folder, 'control.sock'), NOBODY, NOBODY)
    await chown(folder, NOBODY, NOBODY)
    return {
      heard,
      [Symbol.asyncDispose]: async () => {
        server.close()
        await once(server, 'close')
      },
    }
  }

  const SECRET = 'correct horse battery staple'
  const COMMANDS = [
    ['users', 'set-password', 'ada@example.com'],
    ['jobs', 'list'],
    ['doctor'],
    ['serve', '--port', '0', '--data-dir', '.svc'],
    ['up', '--port', '0'],
  ]

  asRoot(
    'gets nothing when it is another user’s: every command says whose it is and what to do',
    async () => {
      await using plant = await planted(join(cwd, '.svc'))
      for (const args of COMMANDS) {
        const { code, err } = await runSvc(args, { cwd, input: `${SECRET}\n` })
        expect({ args, code }).toEqual({ args, code: 4 })
        expect(err).toMatch(/^svc: .*\.svc belongs to user 65534, and this runs as user 0: .*--data-dir/)
      }
      expect(plant.heard).toEqual([])
      expect(await readdir(join(cwd, '.svc'))).toEqual(['control.sock'])
    },
    PATIENCE_MS,
  )

  asRoot(
    'gets nothing when it is one’s own and open, and another user has put the socket there',
    async () => {
      await using plant = await planted(join(cwd, '.svc'))
      await chown(join(cwd, '.svc'), 0, 0)
      await chmod(join(cwd, '.svc'), 0o777)
      const { code, err } = await runSvc(['jobs', 'list'], { cwd })
      expect(code).toBe(4)
      expect(err).toContain('control.sock belongs to user 65534')
      expect(plant.heard).toEqual([])
      expect((await stat(join(cwd, '.svc'))).mode & 0o777).toBe(0o700)
    },
    PATIENCE_MS,
  )

  asRoot(
    'gets nothing when another user’s link leads elsewhere',
    async () => {
      await mkdir(join(cwd, 'elsewhere'), { mode: 0o700 })
      await symlink('elsewhere', join(cwd, '.svc'))
      await spawned('chown', ['-h', String(NOBODY), join(cwd, '.svc')])
      const { code, err } = await runSvc(['serve', '--port', '0', '--data-dir', '.svc'], { cwd })
      expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('belongs to user 65534') })
      expect(await readdir(join(cwd, 'elsewhere'))).toEqual([])
    },
    PATIENCE_MS,
  )

  test(
    'is refused when it holds other things and is open: others would be shut out of them',
    async () => {
      await writeFile(join(cwd, 'thesis.txt'), 'text')
      const { code, err } = await runSvc(['serve', '--port', '0', '--data-dir', '.'], { cwd })
      expect(code).toBe(1)
      expect(err).toContain(
        'is open to other users and holds other things: name a folder of its own with --data-dir',
      )
      expect((await stat(cwd)).mode & 0o777).toBe(0o755)
    },
    PATIENCE_MS,
  )
})

async function spawned(program: string, args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(program, args), 'close')
  expect(code).toBe(0)
}
