import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** One path of a release. Folders come before what they hold. */
export type ManifestEntry =
  | { readonly path: string; readonly type: 'folder'; readonly mode: number }
  | {
      readonly path: string
      readonly type: 'file'
      readonly mode: number
      readonly size: number
      /** SHA-256 in hex. */
      readonly sha256: string
    }
  | { readonly path: string; readonly type: 'link'; readonly to: string }

/** A release as it is moved. */
export interface Manifest {
  readonly app: string
  readonly release: string
  readonly entries: readonly ManifestEntry[]
}

/** A release, or a manifest of one, that cannot be moved. */
export class BadManifest extends Error {
  override readonly name = 'BadManifest'
}

const MOST_ENTRIES = 100_000
const MAX_PATH_CHARS = 1024
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/
const RELEASE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const SHA256 = /^[0-9a-f]{64}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/

/** Whether a text is the name of an application: a plain folder name. */
export const isAppName = (text: string): boolean => NAME.test(text)
/** Whether a text is the name of a release: a plain folder name. */
export const isReleaseName = (text: string): boolean => RELEASE.test(text)

/** Whether a path stays beneath the folder that it is relative to, and is spelled plainly. */
export function isInside(path: string): boolean {
  const parts = path.split('/')
  return (
    path.length <= MAX_PATH_CHARS &&
    !CONTROL.test(path) &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..')
  )
}

/** Whether a link leads to a place beneath the folder of the release. */
const staysInside = (path: string, to: string): boolean => {
  const end = posix.normalize(posix.join(dirname(path), to))
  return !to.startsWith('/') && !CONTROL.test(to) && end !== '..' && !end.startsWith('../')
}

/**
 * Describes the files of a release, those beneath `paths` alone if there are any.
 * @throws BadManifest for files that cannot be moved
 */
export async function manifestOf(
  folder: string,
  { app, release, paths }: { app: string; release: string; paths: readonly string[] | undefined },
): Promise<Manifest> {
  const isWanted = (path: string) =>
    paths === undefined ||
    paths.some((each) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`))
  const wanted = (await pathsIn(folder)).filter(isWanted).sort()
  if (wanted.length > MOST_ENTRIES) throw new BadManifest(`the release holds more than ${MOST_ENTRIES} paths`)
  const entries: ManifestEntry[] = []
  for (const path of wanted) entries.push(await entryOf(folder, path))
  return checkedManifest({ app, release, entries })
}

/** Not by the recursive form of readdir, which follows links to folders in some releases of Node.js. */
async function pathsIn(folder: string, within = ''): Promise<string[]> {
  const paths: string[] = []
  for (const entry of await readdir(join(folder, within), { withFileTypes: true })) {
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    paths.push(path)
    if (entry.isDirectory()) paths.push(...(await pathsIn(folder, path)))
  }
  return paths
}

async function entryOf(folder: string, path: string): Promise<ManifestEntry> {
  const full = join(folder, path)
  const facts = await lstat(full)
  if (facts.isSymbolicLink()) return { path, type: 'link', to: await readlink(full) }
  const mode = facts.mode & 0o777
  if (facts.isDirectory()) return { path, type: 'folder', mode }
  if (facts.isFile()) return { path, type: 'file', mode, size: facts.size, sha256: await digestOf(full) }
  throw new BadManifest('the release holds something that is neither a file, a folder nor a link')
}

/** Returns the SHA-256 of a file, in hex. */
export async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return digest.digest('hex')
}

/**
 * Checks a manifest, which a peer may have written.
 * @throws BadManifest
 */
export function checkedManifest(value: unknown): Manifest {
  const { app, release, entries } = (value ?? {}) as Readonly<Record<string, unknown>>
  const isNamed =
    typeof app === 'string' && isAppName(app) && typeof release === 'string' && isReleaseName(release)
  if (!isNamed || !Array.isArray(entries) || entries.length > MOST_ENTRIES)
    throw new BadManifest('the peer describes no release')
  const checked = entries.map(checkedEntry)
  if (new Set(checked.map(({ path }) => path)).size < checked.length)
    throw new BadManifest('the release holds a path twice')
  return { app, release, entries: checked }
}

function checkedEntry(value: unknown): ManifestEntry {
  const { path, type, mode, size, sha256, to } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof path !== 'string' || !isInside(path)) throw new BadManifest('a path leads out of the release')
  if (type === 'link') {
    if (typeof to === 'string' && staysInside(path, to)) return { path, type, to }
    throw new BadManifest('a link leads out of the release')
  }
  const isMode = Number.isInteger(mode) && Number(mode) >= 0 && Number(mode) <= 0o777
  if (isMode && type === 'folder') return { path, type, mode: Number(mode) }
  const isSized = Number.isSafeInteger(size) && Number(size) >= 0
  if (isMode && type === 'file' && isSized && typeof sha256 === 'string' && SHA256.test(sha256))
    return { path, type, mode: Number(mode), size: Number(size), sha256 }
  throw new BadManifest('the peer describes no file')
}

/** Bytes of all files. */
export const bytesOf = ({ entries }: Manifest): number =>
  entries.reduce((sum, entry) => sum + (entry.type === 'file' ? entry.size : 0), 0)
