import { constants } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry, Manifest } from './manifest.ts'
import { OpenFolder } from './open-folder.ts'
import { digestOf } from './read-manifest.ts'
import { assembleRelease, partName } from './release-assembly.ts'

/** A file that did not arrive as it was sent, or that there is no room for. */
export class BadFile extends Error {
  override readonly name = 'BadFile'
}

/** Work under way on a folder of parts, by its path: of any session, and of connections that broke off. */
const WORKING = new Map<string, Promise<unknown>>()

/**
 * A release that arrives. Its files come as parts into one flat folder aside, each under the name of its
 * digest, where those of an interrupted transfer are taken up again: no path and no link that peers describe,
 * in any number of manifests, exists there. The release is put together in a last step, in a new folder, once
 * every part has its digest; only then it gets its name.
 */
export class ReleaseTarget {
  readonly manifest: Manifest
  readonly #releases: string
  readonly #parts: string

  private constructor(appsDir: string, manifest: Manifest) {
    this.#releases = join(appsDir, manifest.app, 'releases')
    this.#parts = `.incoming-transfer-${manifest.release}`
    this.manifest = manifest
  }

  /** Prepares the folder of parts: only parts of this release stay in it. */
  static async open(appsDir: string, manifest: Manifest): Promise<ReleaseTarget> {
    const target = new ReleaseTarget(appsDir, manifest)
    await mkdir(target.#releases, { recursive: true })
    await target.#alone(async () => {
      await using releases = await OpenFolder.open(target.#releases)
      await makeFolder(releases, target.#parts)
      await using parts = await releases.folder(target.#parts)
      const sizes = new Map(target.#files().map((entry) => [partName(entry), entry.size]))
      for (const name of await readdir(parts.path)) {
        const facts = await lstat(parts.at(name))
        if (!facts.isFile() || facts.size > (sizes.get(name) ?? -1)) await remove(parts, name)
      }
    })
    return target
  }

  /** Whether the release is there already. */
  async isThere(): Promise<boolean> {
    const path = join(this.#releases, this.manifest.release)
    return (await lstat(path).catch(() => undefined))?.isDirectory() === true
  }

  /** Returns the bytes of a file that are there already; undefined if the entry is no file. */
  offset(index: number): Promise<number | undefined> {
    return this.#alone(() => this.#offset(index))
  }

  async #offset(index: number): Promise<number | undefined> {
    const entry = this.#file(index)
    if (entry === undefined) return undefined
    await using parts = await this.#open()
    const facts = await lstat(parts.at(partName(entry))).catch(() => undefined)
    if (facts === undefined) return 0
    if (facts.isFile() && facts.size <= entry.size) return facts.size
    await remove(parts, partName(entry))
    return 0
  }

  /**
   * Appends to a file, which has to have `offset` bytes. A whole file is compared with its digest, and
   * removed if it differs.
   * @throws BadFile
   */
  write(index: number, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#alone(() => this.#write(index, offset, bytes))
  }

  async #write(index: number, offset: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = this.#file(index)
    if (entry === undefined || offset !== (await this.#offset(index)))
      throw new BadFile('the peer sent a file that was not asked for')
    await using parts = await this.#open()
    let size = offset
    {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND
      await using file = await parts.file(partName(entry), flags, 0o600)
      for await (const chunk of bytes) {
        size += chunk.length
        if (size > entry.size) throw new BadFile('the peer sent more than it described')
        await file.writeFile(chunk)
      }
      await file.sync()
    }
    if (size === entry.size) await check(parts, entry)
  }

  /**
   * Puts the release into its place, unless there is one.
   * @throws BadFile when a file is not there whole; nothing is made then
   */
  finish(): Promise<void> {
    return this.#alone(async () => {
      await using releases = await OpenFolder.open(this.#releases)
      if (!(await this.isThere())) {
        await using parts = await this.#open()
        for (const entry of this.#files()) await check(parts, entry)
        const made = await assembleRelease(releases, parts, this.manifest)
        await rename(releases.at(made), releases.at(this.manifest.release))
      }
      await remove(releases, this.#parts)
    })
  }

  #files(): FileEntry[] {
    return this.manifest.entries.filter((entry) => entry.type === 'file')
  }

  #file(index: number): FileEntry | undefined {
    const entry = this.manifest.entries[index]
    return entry?.type === 'file' ? entry : undefined
  }

  async #open(): Promise<OpenFolder> {
    await using releases = await OpenFolder.open(this.#releases)
    // Awaited: the folder would be closed, and its number another file's, before the open has happened.
    return await releases.folder(this.#parts)
  }

  /** Works when nothing else does on the same parts. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const key = join(this.#releases, this.#parts)
    const own = (WORKING.get(key) ?? Promise.resolve()).then(work)
    const settled = own.catch(() => {}).then(() => void (WORKING.get(key) === settled && WORKING.delete(key)))
    WORKING.set(key, settled)
    return own
  }
}

async function check(parts: OpenFolder, entry: FileEntry): Promise<void> {
  if (await isWhole(parts, entry)) return
  await remove(parts, partName(entry))
  throw new BadFile('a file did not arrive as it was sent')
}

async function isWhole(parts: OpenFolder, entry: FileEntry): Promise<boolean> {
  await using file = await parts.file(partName(entry)).catch(() => undefined)
  return (
    file !== undefined && (await file.stat()).size === entry.size && (await digestOf(file)) === entry.sha256
  )
}

/** Makes a folder, in place of a link or a file of its name. */
async function makeFolder(folder: OpenFolder, name: string): Promise<void> {
  const facts = await lstat(folder.at(name)).catch(() => undefined)
  if (facts?.isDirectory()) return
  if (facts !== undefined) await remove(folder, name)
  await mkdir(folder.at(name), 0o700)
}

/** Removes a name with all that lies beneath it; a link goes itself. */
const remove = (folder: OpenFolder, name: string): Promise<void> =>
  rm(folder.at(name), { recursive: true, force: true })
