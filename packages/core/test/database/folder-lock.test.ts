import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from '@jest/globals'
import { embeddedFolder } from '@svc/testing'
import { lockFolder } from '../../src/database/folder-lock.ts'
import { openStorage } from '../../src/sql.ts'
import { temporaryFolder } from './temporary-folder.ts'

const HOLDER = fileURLToPath(new URL('folder-holder.ts', import.meta.url))
const LOCK = new URL('../../src/database/folder-lock.ts', import.meta.url).href
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

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

const conflict = (detail: RegExp | string) => ({ code: 'conflict', message: expect.stringMatching(detail) })
const bootId = async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()

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
      expect(await storage.jobs.get('job_kept')).toMatchObject({ state: 'pending' })
    },
    PATIENCE_MS,
  )

  it('of a living process that reads another boot id, as a service in a container may, is refused', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'lock')
    const take = `import(${JSON.stringify(LOCK)}).then(({ lockFolder }) => lockFolder(${JSON.stringify(folder)}))`
    const program = `${take}.then(() => console.log('open')); setInterval(() => {}, 60000)`
    const child = spawn(process.execPath, [...FLAGS, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    await once(child.stdout, 'data')
    const lock = { ...(JSON.parse(await readFile(path, 'utf8')) as object), boot: 'other' }
    await writeFile(path, JSON.stringify(lock))
    await expect(lockFolder(folder)).rejects.toMatchObject(conflict(`^process ${child.pid} has`))
    for (const more of [{ command: 'another' }, { started: '1' }]) {
      await writeFile(path, JSON.stringify({ ...lock, ...more }))
      await (await lockFolder(folder))[Symbol.asyncDispose]()
    }
  })

  it('is refused to a second opener in the same process, and free after the first is disposed', async () => {
    const folder = await temporaryFolder()
    const first = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toMatchObject(conflict(`process ${process.pid} has`))
    await first[Symbol.asyncDispose]()
    await (await lockFolder(folder))[Symbol.asyncDispose]()
    expect(await readdir(folder)).toEqual([])
  })

  it.each([
    ['of a process that is gone', async () => ({ pid: await deadPid(), started: '1', boot: await bootId() })],
    ['of an earlier boot', async () => ({ pid: process.pid, started: '', boot: 'earlier' })],
    [
      'whose process id went to another process',
      async () => ({ pid: process.pid, started: '1', boot: await bootId() }),
    ],
    ['that is no lock at all', async () => 'torn'],
    ['that is empty', async () => ''],
  ])('with a lock %s is taken over', async (_, content) => {
    const folder = await temporaryFolder()
    const holder = await content()
    await writeFile(join(folder, 'lock'), typeof holder === 'string' ? holder : JSON.stringify(holder))
    const lock = await lockFolder(folder)
    expect(JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
    await lock[Symbol.asyncDispose]()
    expect(await readdir(folder)).toEqual([])
  })

  it.each(['no lock', 'a stale lock'])(
    'with %s goes to one of many that come at once, in 100 rounds',
    async (what) => {
      const folder = await temporaryFolder()
      const boot = await bootId()
      for (let round = 0; round < 100; round += 1) {
        const stale = JSON.stringify({ pid: process.pid, started: '1', boot, round })
        if (what === 'a stale lock') await writeFile(join(folder, 'lock'), stale)
        const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)))
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
    const lock = await lockFolder(folder)
    expect((await stat(join(folder, 'lock'))).mode & 0o077).toBe(0)
    await lock[Symbol.asyncDispose]()
  })
})
