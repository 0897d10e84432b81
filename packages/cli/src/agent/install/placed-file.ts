import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { InstalledFile } from './installation.ts'

/** The path of an installed file beneath the root of an image; the root of this machine is `/`. */
export const beneath = (root: string, path: string): string => join(root, path)

/** Puts a file in its place as a whole. Returns whether its text or its mode was another before. */
export async function place(root: string, file: InstalledFile): Promise<boolean> {
  const path = beneath(root, file.path)
  if (await stands(path, file)) return false
  await mkdir(dirname(dirname(path)), { recursive: true, mode: 0o755 })
  await mkdir(dirname(path), { recursive: true, mode: file.folderMode ?? 0o755 })
  if (file.folderMode !== undefined) await chmod(dirname(path), file.folderMode)
  const draft = `${path}.new`
  await rm(draft, { force: true })
  // A secret is never readable by others, not even while it is written.
  await writeFile(draft, file.text, { mode: file.mode, flag: 'wx' })
  await chmod(draft, file.mode)
  await rename(draft, path)
  return true
}

async function stands(path: string, { text, mode, folderMode }: InstalledFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || (found.mode & 0o777) !== mode) return false
  if (folderMode !== undefined && ((await stat(dirname(path))).mode & 0o777) !== folderMode) return false
  return (await readFile(path, 'utf8')) === text
}

/** Returns the text of a file; undefined when it is not there. */
export async function placedText(root: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(beneath(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes a file, and its folder if nothing else is in it. Returns whether the file was there. */
export async function removePlaced(root: string, path: string, keepFolder = false): Promise<boolean> {
  const file = beneath(root, path)
  if ((await placedText(root, path)) === undefined) return false
  await rm(file)
  if (!keepFolder && (await readdir(dirname(file))).length === 0) await rmdir(dirname(file))
  return true
}
