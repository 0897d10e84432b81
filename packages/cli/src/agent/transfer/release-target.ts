import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, rename, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf, type Manifest, type ManifestEntry } from './manifest.ts'

type FileEntry = ManifestEntry & { readonly type: 'file' }

/** A file that did not arrive as it was sent, or that there is no room for. */
export class BadFile extends Error {
  override readonly name = 'BadFile'
}

/**
 * A release that arrives. Its files come into a folder aside, where those of an interrupted transfer are
 * taken up again; the folder gets the name of the release once every file has its digest.
 */
export class ReleaseTarget {
  readonly manifest: Manifest
  readonly #folder: string
  readonly #incoming: string
  /** The write under way: that of a connection which broke off may still end. */
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(appsDir: string, manifest: Manifest) {
    const releases = join(appsDir, manifest.app, 'releases')
    this.manifest = manifest
    this.#folder = join(releases, manifest.release)
    this.#incoming = join(releases, `.incoming-transfer-${manifest.release}`)
  }

  /** Prepares the folders. */
  static async open(appsDir: string, manifest: Manifest): Promise<ReleaseTarget> {
    const target = new ReleaseTarget(appsDir, manifest)
    await mkdir(target.#incoming, { recursive: true })
    for (const entry of manifest.entries)
      if (entry.type === 'folder') await realFolder(join(target.#incoming, entry.path))
    return target
  }

  /** Whether the release is there already. */
  async isThere(): Promise<boolean> {
    return (await lstat(this.#folder).catch(() => undefined))?.isDirectory() === true
  }

  /** Returns the bytes of a file that are there already; undefined if the entry is no file. */
  async offset(index: number): Promise<number | undefined> {
    await this.#writing
    return this.#offset(index)
  }

  async #offset(index: number): Promise<number | undefined> {
    const entry = this.#file(index)
    if (entry === undefined) return undefined
    const facts = await lstat(join(this.#incoming, entry.path)).catch(() => undefined)
    if (facts === undefined) return 0
    if (facts.isFile() && facts.size <= entry.size) return facts.size
    await rm(join(this.#incoming, entry.path), { force: true })
    return 0
  }

  /**
   * Appends to a file, which has to have `offset` bytes. A whole file is compared with its digest, and
   * removed if it differs.
   * @throws BadFile
   */
  async write(index: number, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const own = this.#writing.then(() => this.#write(index, offset, bytes))
    this.#writing = own.catch(() => {})
    await own
  }

  async #write(index: number, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = this.#file(index)
    if (entry === undefined || offset !== (await this.#offset(index)))
      throw new BadFile('the peer sent what was not asked for')
    const path = join(this.#incoming, entry.path)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
    await using file = await open(path, flags, 0o600)
    let size = offset
    for await (const chunk of bytes) {
      size += chunk.length
      if (size > entry.size) throw new BadFile('the peer sent more than it described')
      await file.writeFile(chunk)
    }
    await file.sync()
    if (size === entry.size) await this.#check(path, entry)
  }

  /**
   * Puts the release into its place, unless there is one.
   * @throws BadFile when a file is not there whole
   */
  async finish(): Promise<void> {
    if (await this.isThere()) return rm(this.#incoming, { recursive: true, force: true })
    for (const entry of this.manifest.entries) {
      const path = join(this.#incoming, entry.path)
      if (entry.type === 'file') {
        await this.#check(path, entry)
        await chmod(path, entry.mode)
      }
      if (entry.type === 'link') await link(path, entry.to)
    }
    // Folders last, the deepest first: one that cannot be written takes no files.
    for (const entry of this.manifest.entries.toReversed())
      if (entry.type === 'folder') await chmod(join(this.#incoming, entry.path), entry.mode)
    await rename(this.#incoming, this.#folder)
  }

  async #check(path: string, { size, sha256 }: FileEntry): Promise<void> {
    const facts = await stat(path).catch(() => undefined)
    if (facts?.size === size && (await digestOf(path)) === sha256) return
    await rm(path, { force: true })
    throw new BadFile('a file did not arrive as it was sent')
  }

  #file(index: number): FileEntry | undefined {
    const entry = this.manifest.entries[index]
    return entry?.type === 'file' ? entry : undefined
  }
}

/** Makes a folder, in place of a link or a file that an earlier transfer may have left. */
async function realFolder(path: string): Promise<void> {
  const facts = await lstat(path).catch(() => undefined)
  if (facts?.isDirectory()) return
  if (facts !== undefined) await rm(path, { force: true })
  await mkdir(path, { recursive: true })
}

async function link(path: string, to: string): Promise<void> {
  await rm(path, { force: true })
  await symlink(to, path)
}
