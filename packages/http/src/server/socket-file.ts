import { lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'

/** All rights but the owner's to read and write. */
const ALL_BUT_OWNER = 0o177

/**
 * Has `make` make its file for its owner alone: mode 0600 from the first moment, since whoever connects
 * before a later `chmod` is in. The mask is the whole process's, so `make` must do its work before it
 * returns.
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
 * Removes a socket file that a killed process left behind; false when somebody listens there, or it is no
 * socket.
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
