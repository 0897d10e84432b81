import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { type FileEntry, folderOf, type Manifest, type ManifestEntry } from './manifest.ts'
import type { OpenFolder } from './open-folder.ts'

/** Returns the name for a file's bytes on arrival: their digest, never a path of the peer. */
export const partName = ({ sha256, size }: FileEntry): string => `${sha256}-${size}`

/**
 * Puts a release together from parts that were checked, in a new folder that nothing else knows, and returns
 * its name. Links come after all files, and folders lose their bits last, the deepest first: a folder that
 * cannot be written takes no files. A failure leaves nothing.
 */
export async function assembleRelease(
  releases: OpenFolder,
  parts: OpenFolder,
  { release, entries }: Manifest,
): Promise<string> {
  // The handler prune looks for names that begin so, and removes them when a killed process left one.
  const made = `.incoming-whole-${release}-${randomBytes(8).toString('hex')}`
  await mkdir(releases.at(made))
  try {
    await using root = await releases.folder(made)
    await placeAll(root, parts, entries)
  } catch (error) {
    await rm(releases.at(made), { recursive: true, force: true })
    throw error
  }
  return made
}

async function placeAll(
  root: OpenFolder,
  parts: OpenFolder,
  entries: readonly ManifestEntry[],
): Promise<void> {
  const folders = Map.groupBy(entries, ({ path }) => folderOf(path))
  const uses = usesOfParts(entries)
  // A folder stands before its entries, so each is made before it is entered.
  for (const [path, inside] of folders) {
    await using folder = await root.beneath(partsOf(path))
    for (const entry of inside) {
      const name = nameOf(entry.path)
      if (entry.type === 'folder') await mkdir(folder.at(name), 0o700)
      if (entry.type !== 'file') continue
      const part = partName(entry)
      const left = (uses.get(part) ?? 1) - 1
      uses.set(part, left)
      if (left > 0) await copyFile(parts.at(part), folder.at(name), constants.COPYFILE_EXCL)
      else await rename(parts.at(part), folder.at(name))
      await using file = await folder.file(name)
      await file.chmod(entry.mode)
      if (left > 0) await file.sync()
    }
  }
  for (const [path, inside] of folders) {
    const links = inside.filter((entry) => entry.type === 'link')
    if (links.length === 0) continue
    await using folder = await root.beneath(partsOf(path))
    for (const link of links) await symlink(link.to, folder.at(nameOf(link.path)))
  }
  for (const entry of entries.toReversed()) {
    if (entry.type !== 'folder') continue
    await using folder = await root.beneath(partsOf(entry.path))
    await folder.chmod(entry.mode)
  }
}

/** A release may hold the same bytes at several places: the last one takes the part itself. */
function usesOfParts(entries: readonly ManifestEntry[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const entry of entries)
    if (entry.type === 'file') uses.set(partName(entry), (uses.get(partName(entry)) ?? 0) + 1)
  return uses
}

const partsOf = (path: string): string[] => path.split('/').filter(Boolean)
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
