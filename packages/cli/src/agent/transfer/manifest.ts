/** One path of a release. Folders come before their entries. */
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

/** An entry that is a file. */
export type FileEntry = ManifestEntry & { readonly type: 'file' }

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

/** Paths of a release. */
export const MOST_ENTRIES = 100_000
const MAX_PATH_CHARS = 1024
/** Linux takes no longer name, and would say so only when the file is made. */
const MAX_NAME_BYTES = 255
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/
const RELEASE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const SHA256 = /^[0-9a-f]{64}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/

/** Whether a text is the name of an application: a plain folder name. */
export const isAppName = (text: string): boolean => NAME.test(text)
/** Whether a text is the name of a release: a plain folder name. */
export const isReleaseName = (text: string): boolean => RELEASE.test(text)

/**
 * Whether a text is spelled so that it is one path on a disk: half a surrogate pair would be written like
 * another character, and two paths become one.
 */
const isPlain = (path: string): boolean =>
  path.length <= MAX_PATH_CHARS && !CONTROL.test(path) && path.isWellFormed()

/** Whether a path stays beneath the folder that it is relative to, and is spelled plainly. */
export const isInside = (path: string): boolean => isPlain(path) && path.split('/').every(isName)

const isName = (part: string): boolean =>
  part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_NAME_BYTES

/** Returns the path of the folder that holds a path; `''` for the release itself. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

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
  requireTree(checked)
  return { app, release, entries: checked }
}

/** Walks every path and link through the described files, as a disk would be walked. @throws BadManifest */
function requireTree(entries: readonly ManifestEntry[]): void {
  const types = new Map<string, ManifestEntry['type']>([['', 'folder']])
  for (const { path, type } of entries) {
    if (types.has(path)) throw new BadManifest('the release holds a path twice')
    if (types.get(folderOf(path)) !== 'folder')
      throw new BadManifest('a path lies in a folder that is not described before it')
    types.set(path, type)
  }
  for (const entry of entries)
    if (entry.type === 'link' && !staysInside(entry, types))
      throw new BadManifest('a link leads out of the release, or over another link')
}

/**
 * Whether the way of a link stays beneath the release in every step. Its end may be a link, which is judged
 * by itself; a step beyond one, even back, would go on from where that one leads.
 */
function staysInside(
  { path, to }: { readonly path: string; readonly to: string },
  types: ReadonlyMap<string, ManifestEntry['type']>,
): boolean {
  let at = folderOf(path)
  for (const part of to.split('/')) {
    if (part === '' || part === '.') continue
    if (types.get(at) === 'link' || (part === '..' && at === '')) return false
    at = part === '..' ? folderOf(at) : at === '' ? part : `${at}/${part}`
  }
  return true
}

function checkedEntry(value: unknown): ManifestEntry {
  const { path, type, mode, size, sha256, to } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof path !== 'string' || !isInside(path)) throw new BadManifest('a path leads out of the release')
  if (type === 'link') {
    if (typeof to === 'string' && to !== '' && !to.startsWith('/') && isPlain(to)) return { path, type, to }
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
