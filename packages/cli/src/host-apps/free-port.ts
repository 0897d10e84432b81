import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that kernels give to outgoing connections. */
const FIRST = 20_000
const LAST = 31_999
const TRIES = 200
const taken = new Set<number>()

/** A port of loopback that nobody listens at, kept from other instances until it is given back. */
export async function takePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST + 1)
    if (taken.has(port)) continue
    taken.add(port)
    if (await isFree(port)) return port
    taken.delete(port)
  }
  throw new Error('no port of 20000 to 31999 is free')
}

/** Keeps a port from others that is in use already. */
export const keepPort = (port: number): void => {
  taken.add(port)
}

/** Gives a port back. */
export const givePort = (port: number): void => {
  taken.delete(port)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    // All addresses: a program may listen at any of them.
    server.listen(port)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
