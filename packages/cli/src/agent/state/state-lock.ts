import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { bootId, commandOf, startedAt } from '../wire/host-facts.ts'

/**
 * Takes the state folder for this process. Two agents under one fingerprint would each end the other's work
 * as leftovers. A lock whose process is gone (compared by start time and boot, so a reused pid does not fool
 * it) is replaced. Makes the folder, mode 0700, when it is not there. Throws `Problem('conflict')` when the
 * lock's process lives.
 */
export function lockStateFolder(folder: string, pid: number): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const path = join(folder, 'agent.lock')
  const mine = JSON.stringify({ pid, started: startedAt(pid), boot: bootId(), command: commandOf(pid) })
  for (let tries = 0; tries < 3; tries += 1) {
    if (tryLock(path, mine)) return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
    if (isHeld(path, pid)) break
    rmSync(path, { force: true })
  }
  throw new Problem('conflict', {
    detail: `another agent works in this state folder (${path}): stop it, or give this one its own folder`,
  })
}

function tryLock(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`
  try {
    // Linked, not written in place: nobody may see the lock without its owner in it.
    writeFileSync(draft, text, { mode: 0o600 })
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function isHeld(path: string, own: number): boolean {
  try {
    const lock = JSON.parse(readFileSync(path, 'utf8')) as {
      pid?: unknown
      started?: unknown
      boot?: unknown
      command?: unknown
    }
    if (typeof lock.pid !== 'number') return false
    // In a container the agent's unit reads another boot id than a command beside it: what has another one is
    // an earlier boot's only if no such process runs.
    const isOtherBoot = (lock.boot ?? '') !== (bootId() ?? '')
    if (isOtherBoot && (lock.pid === own || lock.command !== commandOf(lock.pid))) return false
    process.kill(lock.pid, 0)
    return (lock.started ?? '') === (startedAt(lock.pid) ?? '')
  } catch (error) {
    // EPERM: the process lives and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
