import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'

/** Only the owner may open the control socket. */
const OWNER_ONLY = 0o600

/** Restricts a socket file to its owner. Called in the same turn as its making: nobody is accepted before. */
export const restrict = (path: string): void => chmodSync(path, OWNER_ONLY)

/** Removes a socket file that a killed process left behind; false when somebody listens there, or it is no socket. */
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
