import { randomUUID } from 'node:crypto'
import { constants, cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import { diskRoom } from '../database/disk-space.ts'
import { folderHolder } from '../database/folder-lock.ts'
import type { DiskRoom } from './storage.ts'

/** The folder of the database's own files, inside a data folder. */
export const databaseIn = (dataDir: string): string => join(dataDir, 'database')

/** Reads the room on the disk under a folder. */
type RoomOf = (folder: string) => Promise<DiskRoom>

/** Names of copies begin with this. */
const PREFIX = 'copy-'
const MIB = 1024 * 1024

/**
 * Copies the open database of a data folder, as of one moment, into a data folder of its own inside it. The
 * database works on this thread alone, so that nothing changes while this function has the thread: the copy
 * is like the folder of a killed process. All other work waits for as long as the files take. The caller
 * deletes the copy.
 * @returns the name of the copy's folder
 * @throws Problem `unavailable` when the disk has no room for it
 */
export async function copyFolder(dataDir: string, roomOf: RoomOf = diskRoom): Promise<string> {
  const from = databaseIn(dataDir)
  requireRoom(dataDir, sizeOf(from), await roomOf(dataDir))
  const name = `${PREFIX}${randomUUID()}`
  const copy = join(dataDir, name)
  await mkdir(copy, { mode: 0o700 })
  try {
    cpSync(from, databaseIn(copy), { recursive: true, mode: constants.COPYFILE_FICLONE })
    return name
  } catch (error) {
    rmSync(copy, { recursive: true, force: true })
    throw error
  }
}

/** Deletes the copies that a process has left which was killed; those that a process has open stay. */
export async function forgetCopies(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith(PREFIX))
  for (const copy of names.map((name) => join(dataDir, name))) {
    if ((await folderHolder(copy)) === undefined) await rm(copy, { recursive: true, force: true })
  }
}

function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  }
  return bytes
}

function requireRoom(dataDir: string, bytes: number, { freeBytes, reservedBytes }: DiskRoom): void {
  const missing = Math.ceil((bytes + reservedBytes - freeBytes) / MIB)
  if (missing <= 0) return
  throw new Problem('unavailable', {
    detail: `a copy of the database needs room beside it: free ${missing} MiB under ${dataDir}, then try again`,
  })
}
