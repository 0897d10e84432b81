import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { demandRoot, type HandlerUser, mayUse } from './handler-user.ts'

/** The options that decide which folders handlers use. */
export interface HandlerPlace {
  /** The agent's own memory. */
  readonly stateDir: string
  /** The user that handlers run as; absent: the agent's own. */
  readonly handlerUser?: HandlerUser | undefined
}

/** Folders that stay, for handlers. */
export interface HandlerFolders {
  readonly state: string
  readonly apps: string
}

/**
 * Returns the folders of handlers. The state folder is the agent's own, unless handlers have a user of their
 * own.
 */
export const handlerFolders = ({ stateDir, handlerUser }: HandlerPlace): HandlerFolders => ({
  state: handlerUser ? join(stateDir, 'handlers') : stateDir,
  apps: join(stateDir, 'apps'),
})

/** Rights of the handler user's group to a path that stays the agent's own. No other user has any. */
export const GRANT = {
  /** Go through a folder without reading its entries. */
  pass: 0o710,
  /** Work in a folder. */
  work: 0o770,
  /** Work in a folder that users of applications go through, once they are let to it. */
  apps: 0o771,
  /** Read a file. */
  read: 0o640,
} as const

/** Gives the group of the handler user a right to a path of the agent's. */
export async function grant(path: string, { gid }: HandlerUser, mode: number): Promise<void> {
  await chown(path, -1, gid)
  await chmod(path, mode)
}

/**
 * Makes the folders of handlers that have a user of their own, and a way to them through the agent's folder,
 * which that user cannot read. Does nothing without such a user.
 * @throws Problem `invalid-input` when the agent may not, or the user cannot reach the folders
 */
export async function openHandlerFolders(place: HandlerPlace): Promise<void> {
  const { stateDir, handlerUser: user } = place
  if (!user) return
  demandRoot()
  const { state, apps } = handlerFolders(place)
  try {
    await grant(stateDir, user, GRANT.pass)
    await made(join(stateDir, 'work'), user, GRANT.pass)
    await made(state, user, GRANT.work)
    await made(apps, user, GRANT.apps)
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    throw new Problem('invalid-input', {
      detail: `${path} cannot be opened to ${user.name} (${code}): the agent needs a folder of its own, and CAP_CHOWN or the group as its own`,
    })
  }
  if (await mayUse(user, '-w', apps)) return
  throw new Problem('invalid-input', {
    detail: `${user.name} cannot write ${apps}: every folder above ${stateDir} has to let it through (chmod o+x)`,
  })
}

async function made(folder: string, user: HandlerUser, mode: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await grant(folder, user, mode)
}
