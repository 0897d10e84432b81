import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * A folder that is held open, and its direct entries.
 *
 * Node.js has no `openat`. On Linux `/proc/self/fd/N` stands for the open folder itself, wherever its path
 * leads by now, so a name behind it is one step from a folder that is held; `O_NOFOLLOW` refuses a link in
 * that step. A path is walked part by part this way: no link that lies on it leads anywhere else. `openat2`
 * would do it in one call; `O_NOFOLLOW` on a whole path looks at the last part alone. Without `/proc`
 * nothing opens.
 */
export class OpenFolder implements AsyncDisposable {
  readonly #handle: FileHandle

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Opens a folder by a path of this host's own, over links too. */
  static async open(path: string): Promise<OpenFolder> {
    return new OpenFolder(await open(path, O_RDONLY | O_DIRECTORY))
  }

  /** Returns the path of one name in this folder, for calls that do not follow a link at its end. */
  at(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new Error('a name in a folder is one part of a path')
    return `/proc/self/fd/${this.#handle.fd}/${name}`
  }

  /** The path of this folder itself, for calls that read it. */
  get path(): string {
    return `/proc/self/fd/${this.#handle.fd}/.`
  }

  /** Opens a folder in this one. @throws the error of `open`, also for a link */
  async folder(name: string): Promise<OpenFolder> {
    return new OpenFolder(await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
  }

  /** Opens a folder beneath this one, part by part as `folder` does; without parts this one again. */
  async beneath(parts: readonly string[]): Promise<OpenFolder> {
    let reached = await OpenFolder.open(this.path)
    for (const part of parts) {
      await using left = reached
      reached = await left.folder(part)
    }
    return reached
  }

  /** Opens a plain file in this folder. @throws the error of `open`, also for a link or another kind */
  async file(name: string, flags: number = O_RDONLY, mode?: number): Promise<FileHandle> {
    // A pipe would let an open wait for its other end.
    const file = await open(this.at(name), flags | O_NOFOLLOW | O_NONBLOCK, mode)
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new Error('something that is no file stands where one was')
  }

  /** Changes the mode of this folder. */
  async chmod(mode: number): Promise<void> {
    await this.#handle.chmod(mode)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}
