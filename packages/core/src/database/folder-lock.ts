import { hash, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../problem.ts'

interface Holder {
  readonly pid: number
  /** Start of the process in clock ticks since boot: tells a reused pid from the holder. */
  readonly started: string
  readonly boot: string
  /** Digest of its command line; absent in locks of earlier releases. */
  readonly command?: string
}

const readText = (path: string) => readFile(path, 'utf8').catch(() => undefined)

async function processStart(pid: number): Promise<string> {
  const stat = (await readText(`/proc/${pid}/stat`)) ?? ''
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

const processCommand = async (pid: number): Promise<string> =>
  hash('sha256', (await readText(`/proc/${pid}/cmdline`)) ?? '')

async function self(): Promise<Holder> {
  const { pid } = process
  const boot = ((await readText('/proc/sys/kernel/random/boot_id')) ?? '').trim()
  return { pid, started: await processStart(pid), boot, command: await processCommand(pid) }
}

async function isAlive(holder: Holder, me: Holder): Promise<boolean> {
  // In a container a service whose /proc is closed further reads another boot id than the commands beside it:
  // what has another one is an earlier boot's only if no such process runs.
  const isOtherBoot = holder.boot !== me.boot
  if (isOtherBoot && holder.pid === me.pid) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (isOtherBoot && holder.command !== (await processCommand(holder.pid))) return false
  return holder.started === '' || holder.started === (await processStart(holder.pid))
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return undefined
  }
}

/** The process that has a data folder open; undefined when none has. Takes nothing and waits for nobody. */
export async function folderHolder(folder: string): Promise<number | undefined> {
  const text = await readText(join(folder, 'lock'))
  const holder = text === undefined ? undefined : parse(text)
  return holder !== undefined && (await isAlive(holder, await self())) ? holder.pid : undefined
}

const TRIES = 5

/**
 * Takes a data folder for this process alone. PGlite has no lock of its own: a second opener silently loses
 * rows. The lock of a process that is gone, or of an earlier boot, is taken over.
 * @throws Problem `conflict` naming the process that has the folder
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const me = await self()
  const mine = `${path}.${me.pid}.${randomUUID()}`
  await writeFile(mine, JSON.stringify({ ...me, id: randomUUID() }), { mode: 0o600 })
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const isTaken = (await linked(mine, path)) || (await succeeded(mine, path, folder, me))
      if (isTaken) return { [Symbol.asyncDispose]: () => rm(path, { force: true }) }
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

/**
 * Takes the lock of a dead holder. Each lock has one name for its successor, which one process can link, so
 * that of several that find a dead holder one goes on; it counts only while the lock is still the one it
 * succeeds. A successor that died on the way is succeeded in turn.
 */
async function succeeded(mine: string, path: string, folder: string, me: Holder): Promise<boolean> {
  const first = await readText(path)
  const claims: string[] = []
  for (let text = first; text !== undefined; text = await readText(claims.at(-1) ?? path)) {
    const holder = parse(text)
    if (holder !== undefined && (await isAlive(holder, me))) throw occupied(holder, folder)
    const claim = `${path}.after.${hash('sha256', text).slice(0, 16)}`
    claims.push(claim)
    if (!(await linked(mine, claim))) continue
    const isCurrent = (await readText(path)) === first
    if (isCurrent) await rename(mine, path)
    for (const each of isCurrent ? claims : [claim]) await rm(each, { force: true })
    return isCurrent
  }
  return false
}

const occupied = (holder: Holder, folder: string) =>
  new Problem('conflict', {
    detail: `process ${holder.pid} has ${folder} open; stop it, or let it serve and talk to it`,
  })
