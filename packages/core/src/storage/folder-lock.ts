import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../problem.ts'

interface Holder {
  readonly pid: number
  /** Start of the process in clock ticks since boot: tells a reused pid from the holder. */
  readonly started: string
  readonly boot: string
}

const readText = (path: string) => readFile(path, 'utf8').catch(() => '')

async function processStart(pid: number): Promise<string> {
  const stat = await readText(`/proc/${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

async function self(): Promise<Holder> {
  const boot = (await readText('/proc/sys/kernel/random/boot_id')).trim()
  return { pid: process.pid, started: await processStart(process.pid), boot }
}

async function isAlive(holder: Holder, me: Holder): Promise<boolean> {
  if (holder.boot !== me.boot) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return holder.started === '' || holder.started === (await processStart(holder.pid))
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return undefined
  }
}

/**
 * Takes a data folder for this process alone. PGlite has no lock of its own: a second opener silently loses rows. The
 * lock of a process that is gone, or of an earlier boot, is taken over.
 * @throws Problem `conflict` naming the process that has the folder
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const me = await self()
  const mine = `${path}.${me.pid}.${randomUUID()}`
  await writeFile(mine, JSON.stringify(me), { mode: 0o600 })
  try {
    for (let tries = 0; tries < 5; tries += 1) {
      if (await linked(mine, path)) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) }
      await clearStale(path, folder, me)
    }
  } finally {
    await rm(mine, { force: true })
  }
  throw new Problem('conflict', { detail: `several processes are taking ${folder} at once; start one` })
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

// Moving the file away is atomic, so of several that find a dead holder one moves it; who finds that it moved a living
// one's instead puts it back.
async function clearStale(path: string, folder: string, me: Holder): Promise<void> {
  const holder = parse(await readText(path))
  if (holder !== undefined && (await isAlive(holder, me))) {
    throw new Problem('conflict', {
      detail: `process ${holder.pid} has ${folder} open; stop it, or let it serve and talk to it`,
    })
  }
  const aside = `${path}.stale.${randomUUID()}`
  if (
    !(await rename(path, aside).then(
      () => true,
      () => false,
    ))
  )
    return
  const moved = parse(await readText(aside))
  if (moved !== undefined && (await isAlive(moved, me))) await linked(aside, path)
  await rm(aside, { force: true })
}
