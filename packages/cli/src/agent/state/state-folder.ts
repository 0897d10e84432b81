import { chmod, mkdir } from 'node:fs/promises'
import { lockFolder } from '@svc/core/adapters'

/**
 * Takes the state folder for this agent alone, and makes it when it is not there, mode 0700: two agents under
 * one fingerprint would each end the other's work as leftovers.
 * @throws Problem `conflict` naming the process that has it, `unavailable` if its disk can have no sockets
 */
export async function takeStateFolder(folder: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  return lockFolder(folder, 'stop that agent, or give this one a state folder of its own')
}
