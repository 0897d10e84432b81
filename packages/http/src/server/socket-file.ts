import { lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'

/** The umask that leaves only the owner's rights to read and write. */
const ALL_BUT_OWNER = 0o177

/**
 * Calls `make`, which creates a file, so that the file has mode 0600 from the first moment: with a later
 * `chmod`, other users could connect before it. The umask applies to the whole process, so `make` must create
 * the file before it returns.
 */
export function ownerOnly(make: () => void): void {
  const before = process.umask(ALL_BUT_OWNER)
  try {
    make()
  } finally {
    process.umask(before)
  }
}

/**
 * Removes a socket file that a killed process left behind; returns false when a process listens there, or
 * when the file is no socket.
 */
export async function removeStale(path: string): Promise<boolean> {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file === undefined) return true
  if (!file.isSocket() || (await isAlive(path))) return false
  rmSync(path, { force: true })
  return true
}

function isAlive(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.once('connect', () => resolve(true))
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  return promise.finally(() => socket.destroy())
}
