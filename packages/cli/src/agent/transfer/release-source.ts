import { readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Problem } from '@svc/core'
import { folderOf, isAppName, isReleaseName, type Manifest } from './manifest.ts'
import { OpenFolder } from './open-folder.ts'
import { manifestOf } from './read-manifest.ts'

/** The live release of an application, to be read. */
export class ReleaseSource {
  readonly manifest: Manifest
  readonly #folder: string

  private constructor(folder: string, manifest: Manifest) {
    this.#folder = folder
    this.manifest = manifest
  }

  /**
   * Opens the live release of an application, and reads every file once for its digest.
   * @throws Problem `not-found` when there is none, BadManifest when it cannot be moved
   */
  static async open(
    appsDir: string,
    app: string,
    paths: readonly string[] | undefined,
  ): Promise<ReleaseSource> {
    const folder = isAppName(app) ? join(appsDir, app) : undefined
    const live = folder === undefined ? '' : await readlink(join(folder, 'current')).catch(() => '')
    const release = basename(live)
    if (folder === undefined || live !== `releases/${release}` || !isReleaseName(release))
      throw new Problem('not-found', { detail: `there is no live release of ${app} on this host` })
    const path = join(folder, 'releases', release)
    return new ReleaseSource(path, await manifestOf(path, { app, release, paths }))
  }

  /** Returns the bytes of a file from `offset` on; undefined if the entry is no file or shorter. */
  async read(index: number, offset: number): Promise<Readable | undefined> {
    const entry = this.manifest.entries[index]
    if (entry?.type !== 'file' || !isWithin(offset, entry.size)) return undefined
    // Beneath the release, part by part: its programs may have put a link on the way since it was described.
    await using release = await OpenFolder.open(this.#folder)
    await using folder = await release.beneath(folderOf(entry.path).split('/').filter(Boolean))
    const file = await folder.file(entry.path.slice(entry.path.lastIndexOf('/') + 1))
    return file.createReadStream({ start: offset })
  }
}

const isWithin = (offset: number, size: number): boolean =>
  Number.isSafeInteger(offset) && offset >= 0 && offset <= size
