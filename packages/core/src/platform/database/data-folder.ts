import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../kernel/problem.ts'

/** Rights of others than the owner. */
const OTHERS = 0o077
/** Others may write: any file in such a folder may be anybody's. */
const OTHERS_WRITE = 0o022
const STICKY = 0o1000
const ROOT = 0

/** The user that this process acts as; undefined where there are no such numbers. */
const us = (): number | undefined => process.geteuid?.()

const isTrusted = (uid: number): boolean => us() === undefined || uid === us() || uid === ROOT

const foreign = (path: string, uid: number): Problem =>
  new Problem('forbidden', {
    detail:
      `${path} belongs to user ${uid}, and this runs as user ${us()}: run it as that user, or name another folder ` +
      `with --data-dir; if the folder shall be yours, chown -R ${us()} it first`,
  })

/** Whether others than its owner may enter a folder, or it is another user's. */
export type FolderAccess = 'private' | 'open-to-others' | 'belongs-to-another'

/** The access to a data folder; nothing is changed. */
export async function folderAccess(folder: string): Promise<FolderAccess> {
  const { uid, mode } = await stat(folder)
  if (us() !== undefined && uid !== us()) return 'belongs-to-another'
  return (mode & OTHERS) === 0 ? 'private' : 'open-to-others'
}

/**
 * Makes a data folder for this user alone, or takes the rights of all others from one that is this user's.
 * @throws Problem `forbidden` when it belongs to another user, also to one that root could act for, since its
 * owner could not open files that root writes there; `conflict` when it is open to others and holds files of
 * other programs
 */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const link = await lstat(folder)
  if (!isTrusted(link.uid)) throw foreign(folder, link.uid)
  // By a handle: a name may lead elsewhere a moment later.
  const handle = await opened(folder)
  try {
    await tighten(handle, folder)
  } finally {
    await handle.close()
  }
  const database = join(folder, 'database')
  const rows = await lstat(database).catch(() => undefined)
  if (rows !== undefined && us() !== undefined && rows.uid !== us()) throw foreign(database, rows.uid)
}

async function opened(folder: string): Promise<FileHandle> {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    throw foreign(folder, (await stat(folder)).uid)
  }
}

async function tighten(handle: FileHandle, folder: string): Promise<void> {
  const { uid, mode } = await handle.stat()
  if (us() !== undefined && uid !== us()) throw foreign(folder, uid)
  if ((mode & OTHERS) === 0) return
  // A folder such as /tmp or /etc would be taken from everybody else.
  const entries = await readdir(folder)
  const isOurs = entries.length === 0 || entries.some((name) => OUR_ENTRIES.has(name))
  if (!isOurs || (mode & STICKY) !== 0) {
    throw new Problem('conflict', {
      detail: `${folder} is open to other users and holds other things: name a folder of its own with --data-dir`,
    })
  }
  await handle.chmod(0o700)
}

const OUR_ENTRIES: ReadonlySet<string> = new Set(['database', 'lock', 'control.sock'])

/**
 * The real path of a data folder that can be used: messages sent there go to its owner. One of this user is
 * made private first, so that nobody puts another socket into it. By the real path, since a link that is
 * judged and then followed may lead elsewhere by then.
 * @throws Problem `forbidden` when it belongs neither to this user nor to root, or others than root may write
 * to root's
 */
export async function trustedFolder(folder: string): Promise<string> {
  const link = await lstat(folder)
  if (!isTrusted(link.uid)) throw foreign(folder, link.uid)
  const path = await realpath(folder)
  const { uid, mode } = await stat(path)
  if (!isTrusted(uid)) throw foreign(path, uid)
  if (uid === us()) await ownFolder(path)
  else if ((mode & OTHERS_WRITE) !== 0) {
    throw new Problem('forbidden', { detail: `others than root may write to ${path}: it cannot be trusted` })
  }
  return path
}

/**
 * Whether the listener at a socket file may be spoken to; a missing file has none.
 * @throws Problem `forbidden` when it belongs neither to this user nor to root
 */
export async function requireTrustedSocket(path: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined)
  if (file !== undefined && !isTrusted(file.uid)) throw foreign(path, file.uid)
}
