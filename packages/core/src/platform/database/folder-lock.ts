import { hash, randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import { hasListener, lockSocket } from './lock-socket.ts'

interface Holder {
  readonly pid: number
  /** Name of the machine or container of the process, for messages. */
  readonly host: string
  /** Name of the socket in the folder that the process listens at for as long as it lives. */
  readonly socket: string
}

const SOCKET = /^lock-[0-9a-f]{8}\.sock$/

const readText = (path: string) => readFile(path, 'utf8').catch(() => undefined)

function parse(text: string): Holder | undefined {
  try {
    const { pid, host, socket } = JSON.parse(text)
    return SOCKET.test(socket) ? { pid: Number(pid), host: String(host), socket } : undefined
  } catch {
    return undefined
  }
}

/** The process that has a folder open; undefined when none has. Takes nothing and waits for nobody. */
export async function folderHolder(folder: string): Promise<number | undefined> {
  const text = await readText(join(folder, 'lock'))
  const holder = text === undefined ? undefined : parse(text)
  return holder !== undefined && (await hasListener(folder, holder.socket)) ? holder.pid : undefined
}

const TRIES = 5

/**
 * Takes a folder for this process alone, and makes it when it is not there. The lock of a process that is
 * gone is taken over. `advice` tells its user how to deal with the process that has it.
 * @throws Problem `conflict` naming the process that has the folder, `unavailable` if its disk can have no
 * sockets
 */
export async function lockFolder(folder: string, advice: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const name = `lock-${randomBytes(4).toString('hex')}.sock`
  // It listens before a lock names it: a lock without a listener is a dead one.
  const socket = await lockSocket(folder, name)
  const mine = `${path}.${randomUUID()}`
  try {
    await writeFile(mine, JSON.stringify({ pid: process.pid, host: hostname(), socket: name }), {
      mode: 0o600,
    })
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (!(await linked(mine, path)) && !(await succeeded(mine, path, folder, advice))) continue
      return {
        [Symbol.asyncDispose]: async () => {
          await rm(path, { force: true })
          await socket[Symbol.asyncDispose]()
        },
      }
    }
    throw new Problem('conflict', { detail: `several processes are taking ${folder} at once; start one` })
  } catch (error) {
    await socket[Symbol.asyncDispose]()
    throw error
  } finally {
    await rm(mine, { force: true })
  }
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
 * that one goes on when several find a dead holder; it counts only while the lock is still the one it
 * succeeds. A successor that died on the way is succeeded in turn.
 */
async function succeeded(mine: string, path: string, folder: string, advice: string): Promise<boolean> {
  const first = await readText(path)
  const claims: string[] = []
  const dead: string[] = []
  for (let text = first; text !== undefined; text = await readText(claims.at(-1) ?? path)) {
    const holder = parse(text)
    if (holder !== undefined) {
      if (await hasListener(folder, holder.socket)) throw occupied(holder, folder, advice)
      dead.push(join(folder, holder.socket))
    }
    const claim = `${path}.after.${hash('sha256', text).slice(0, 16)}`
    claims.push(claim)
    if (!(await linked(mine, claim))) continue
    const isCurrent = (await readText(path)) === first
    if (isCurrent) await rename(mine, path)
    for (const each of isCurrent ? [...claims, ...dead] : [claim]) await rm(each, { force: true })
    return isCurrent
  }
  return false
}

function occupied({ pid, host }: Holder, folder: string, advice: string): Problem {
  const place = host === hostname() ? '' : ` of ${host}`
  return new Problem('conflict', {
    detail: `process ${pid}${place} has ${folder} open; ${advice}`,
  })
}
