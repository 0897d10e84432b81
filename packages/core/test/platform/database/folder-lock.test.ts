import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { embeddedFolder } from '@svc/testing'
import { folderHolder, lockFolder } from '../../../src/platform/database/folder-lock.ts'
import { openStorage } from '../../../src/sql.ts'
import { temporaryFolder } from './temporary-folder.ts'

const HOLDER = fileURLToPath(new URL('folder-holder.ts', import.meta.url))
const LOCK = new URL('../../../src/platform/database/folder-lock.ts', import.meta.url).href
const FLAGS = ['--conditions=svc-source', '--no-warnings']
// Time limit: creating a database takes seconds on a busy machine.
const PATIENCE_MS = 120_000
const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
})

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** Starts a process that opens `folder` and stores a job in it. */
async function holderOf(folder: string, jobId: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...FLAGS, HOLDER, folder, jobId], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => ['gone'])])
  expect(String(said)).toBe('open\n')
  return child
}

const conflict = (detail: RegExp | string) => ({ code: 'conflict', message: expect.stringMatching(detail) })
/** The lock of a process that was killed. */
const deadLock = (more: object = {}) =>
  JSON.stringify({ pid: process.pid, host: hostname(), socket: 'lock-0badcafe.sock', ...more })

/** Connects to a socket until the kernel lets nobody wait there any more. */
async function fillQueue(path: string): Promise<readonly Socket[]> {
  const waiting: Socket[] = []
  for (;;) {
    const socket = connect(path)
    const isIn = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (!isIn) return waiting
    waiting.push(socket)
  }
}

describe('a data folder', () => {
  it(
    'of another living process is refused by name, and taken over when that process was killed, with its rows',
    async () => {
      const folder = await temporaryFolder()
      await embeddedFolder(folder)
      const child = await holderOf(folder, 'job_kept')
      const refused = conflict(`^process ${child.pid} has ${folder} open`)
      await expect(openStorage({ dataDir: folder })).rejects.toMatchObject(refused)
      await end(child)
      await using storage = await openStorage({ dataDir: folder })
      expect(await storage.jobs.get(PLATFORM, 'job_kept')).toMatchObject({ state: 'pending' })
    },
    PATIENCE_MS,
  )

  it('of a process in another container is refused, though its id is of no process here, busy or stopped', async () => {
    const folder = await temporaryFolder()
    const take = `import(${JSON.stringify(LOCK)}).then(({ lockFolder }) => lockFolder(${JSON.stringify(folder)}, 'wait'))`
    const program = `${take}.then(() => console.log('open')); setInterval(() => {}, 60000)`
    const child = spawn(process.execPath, [...FLAGS, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    await once(child.stdout, 'data')
    const path = join(folder, 'lock')
    const lock = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify({ ...lock, pid: 4_194_305, host: 'web-2' }))
    const refused = conflict(`^process 4194305 of web-2 has ${folder} open`)
    await expect(lockFolder(folder, 'wait')).rejects.toMatchObject(refused)
    child.kill('SIGSTOP')
    // More than the kernel lets wait at a socket that nobody accepts from.
    const waiting = await fillQueue(join(folder, lock.socket))
    await expect(lockFolder(folder, 'wait')).rejects.toMatchObject(refused)
    for (const socket of waiting) socket.destroy()
    await end(child)
    await (await lockFolder(folder, 'wait'))[Symbol.asyncDispose]()
    expect(await readdir(folder)).toEqual([])
  })

  it('is taken by its path however long that is', async () => {
    const folder = join(await temporaryFolder(), 'a-long-name-'.repeat(12))
    const lock = await lockFolder(folder, 'wait')
    await expect(lockFolder(folder, 'wait')).rejects.toMatchObject(conflict(`process ${process.pid} has`))
    expect(await folderHolder(folder)).toBe(process.pid)
    await lock[Symbol.asyncDispose]()
    expect(await folderHolder(folder)).toBeUndefined()
    expect(await readdir(folder)).toEqual([])
  })

  it('is not taken by one that ends before it has the lock, and the lock of another is left alone', async () => {
    const folder = await temporaryFolder()
    await using _ = await lockFolder(folder, 'wait')
    const before = await readdir(folder)
    await expect(lockFolder(folder, 'wait')).rejects.toMatchObject(conflict('has'))
    expect(await readdir(folder)).toEqual(before)
  })

  it('is refused to a second opener in the same process, and free after the first is disposed', async () => {
    const folder = await temporaryFolder()
    const first = await lockFolder(folder, 'wait')
    await expect(lockFolder(folder, 'wait')).rejects.toMatchObject(conflict(`process ${process.pid} has`))
    await first[Symbol.asyncDispose]()
    await (await lockFolder(folder, 'wait'))[Symbol.asyncDispose]()
    expect(await readdir(folder)).toEqual([])
  })

  it.each([
    ['of a process that is gone', deadLock()],
    ['of an earlier release', JSON.stringify({ pid: process.pid, started: '1', boot: 'b' })],
    ['that names a file outside', deadLock({ socket: '../kept' })],
    ['that is no lock at all', 'torn'],
    ['that is empty', ''],
  ])('with a lock %s is taken over', async (_, content) => {
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'kept'), '')
    const folder = join(outside, 'data')
    await mkdir(folder)
    await writeFile(join(folder, 'lock'), content)
    const lock = await lockFolder(folder, 'wait')
    expect(JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
    await lock[Symbol.asyncDispose]()
    expect([await readdir(folder), await readdir(outside)]).toEqual([[], ['data', 'kept']])
  })

  it.each(['no lock', 'a stale lock'])(
    'with %s goes to one of many that come at once, in 100 rounds',
    async (what) => {
      const folder = await temporaryFolder()
      for (let round = 0; round < 100; round += 1) {
        if (what === 'a stale lock') await writeFile(join(folder, 'lock'), deadLock({ round }))
        const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder, 'wait')))
        const won = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        expect(won).toHaveLength(1)
        const lost = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
        for (const reason of lost) expect(reason).toMatchObject({ code: 'conflict' })
        await won[0]?.[Symbol.asyncDispose]()
        expect(await readdir(folder)).toEqual([])
      }
    },
  )

  it('keeps its lock to its owner', async () => {
    const folder = await temporaryFolder()
    const lock = await lockFolder(folder, 'wait')
    expect((await stat(join(folder, 'lock'))).mode & 0o077).toBe(0)
    await lock[Symbol.asyncDispose]()
  })
})
