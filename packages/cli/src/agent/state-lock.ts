import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Problem } from '@svc/core'
import { bootId, startedAt } from './host-facts.ts'

/**
 * Takes the state folder for this process. Two agents under one fingerprint would each end the other's work as
 * leftovers. A lock whose process is gone (compared by start time and boot, so a reused pid does not fool it) is
 * replaced. Throws `Problem('conflict')` when its process lives. Returns the release.
 */
export function lockStateFolder(path: string, pid: number): () => void {
  const mine = JSON.stringify({ pid, started: startedAt(pid), boot: bootId() })
  for (let tries = 0; tries < 3; tries += 1) {
    if (tryLock(path, mine)) return () => rmSync(path, { force: true })
    if (isHeld(path)) break
    rmSync(path, { force: true })
  }
  throw new Problem('conflict', {
    detail: `another agent works in this state folder (${path}): stop it, or give this one its own folder`,
  })
}

function tryLock(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isHeld(path: string): boolean {
  try {
    const lock = JSON.parse(readFileSync(path, 'utf8')) as {
      pid?: unknown
      started?: unknown
      boot?: unknown
    }
    if (typeof lock.pid !== 'number' || (lock.boot ?? '') !== (bootId() ?? '')) return false
    process.kill(lock.pid, 0)
    return (lock.started ?? '') === (startedAt(lock.pid) ?? '')
  } catch (error) {
    // EPERM: the process lives and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
