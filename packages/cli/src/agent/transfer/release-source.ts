import { createReadStream } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Problem } from '@svc/core'
import { isAppName, isReleaseName, type Manifest, manifestOf } from './manifest.ts'

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
  read(index: number, offset: number): Readable | undefined {
    const entry = this.manifest.entries[index]
    if (entry?.type !== 'file' || offset > entry.size) return undefined
    return createReadStream(join(this.#folder, entry.path), { start: offset })
  }
}
