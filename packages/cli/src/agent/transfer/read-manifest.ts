import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { BadManifest, checkedManifest, type Manifest, type ManifestEntry, MOST_ENTRIES } from './manifest.ts'
import { OpenFolder } from './open-folder.ts'

/**
 * Describes the files of a release, those beneath `paths` alone if there are any. Links are described, never
 * followed, even if the release's own programs put them there meanwhile.
 * @throws BadManifest for files that cannot be moved
 */
export async function manifestOf(
  path: string,
  { app, release, paths }: { app: string; release: string; paths: readonly string[] | undefined },
): Promise<Manifest> {
  const isWanted = (path: string) =>
    paths === undefined ||
    paths.some((each) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`))
  await using folder = await OpenFolder.open(path)
  return checkedManifest({ app, release, entries: await entriesIn(folder, '', isWanted) })
}

/** Returns the entries of a folder in the order of their names, each folder before its entries. */
async function entriesIn(
  folder: OpenFolder,
  within: string,
  isWanted: (path: string) => boolean,
  entries: ManifestEntry[] = [],
): Promise<ManifestEntry[]> {
  for (const name of (await readdir(folder.path)).sort()) {
    const path = within === '' ? name : `${within}/${name}`
    if (!isWanted(path)) continue
    if (entries.length >= MOST_ENTRIES)
      throw new BadManifest(`the release holds more than ${MOST_ENTRIES} paths`)
    const entry = await entryOf(folder, name, path)
    entries.push(entry)
    if (entry.type !== 'folder') continue
    await using below = await folder.folder(name)
    await entriesIn(below, path, isWanted, entries)
  }
  return entries
}

async function entryOf(folder: OpenFolder, name: string, path: string): Promise<ManifestEntry> {
  const facts = await lstat(folder.at(name))
  if (facts.isSymbolicLink()) return { path, type: 'link', to: await readlink(folder.at(name)) }
  const mode = facts.mode & 0o777
  if (facts.isDirectory()) return { path, type: 'folder', mode }
  if (!facts.isFile())
    throw new BadManifest('the release holds something that is neither a file, a folder nor a link')
  await using file = await folder.file(name)
  const { size } = await file.stat()
  return { path, type: 'file', mode, size, sha256: await digestOf(file) }
}

/** Returns the SHA-256 of an open file from its beginning, in hex. */
export async function digestOf(file: FileHandle): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(file.createReadStream({ start: 0, autoClose: false }), digest)
  return digest.digest('hex')
}
