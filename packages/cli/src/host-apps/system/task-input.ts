import { chownSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { AppUser } from './app-user.ts'
import { ran } from './systemctl.ts'

const LOOK_MS = 20
const { O_WRONLY, O_NONBLOCK } = constants

/** Makes the pipe that a task of this user reads as its standard input. */
export async function makeInput(path: string, { uid, gid }: AppUser): Promise<void> {
  await ran('mkfifo', '--mode=400', path)
  chownSync(path, uid, gid)
}

/**
 * Hands bytes to a unit through its pipe, as fast as it reads them, and then the end of the input. Ends when
 * the unit does.
 */
export async function feed(
  path: string,
  input: AsyncIterable<Uint8Array>,
  ended: AbortSignal,
): Promise<void> {
  const fd = await opened(path, ended)
  if (fd === undefined) return
  const pipe = new Socket({ fd, readable: false, writable: true })
  // A unit that does not read its input to the end closes the pipe.
  await pipeline(input, pipe, { signal: ended }).catch(() => pipe.destroy())
}

/** A pipe that nobody reads yet cannot be opened without waiting, and would wait for ever. */
async function opened(path: string, ended: AbortSignal): Promise<number | undefined> {
  while (!ended.aborted) {
    try {
      return openSync(path, O_WRONLY | O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') return undefined
    }
    await pause(LOOK_MS)
  }
  return undefined
}
