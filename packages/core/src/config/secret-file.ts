import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isAbsolute, sep } from 'node:path'

/** What stands behind the name of a setting when a file holds its value. */
export const FILE_SUFFIX = '_FILE'

const MAX_KIB = 64
const MAX_BYTES = MAX_KIB * 1024
const GROUP_AND_OTHERS = 0o077

/** A file that a setting names and that cannot be its value. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError'
}

/** The value in a file, and whether more than its owner may do something with that file. */
export interface SecretFile {
  readonly text: string
  readonly isShared: boolean
}

/**
 * Reads the file that `setting` names: text in UTF-8, at most 64 KiB, one line end at its end left out.
 * Returns at once whatever the path leads to.
 * @throws SecretFileError with setting and path, never with contents; not with a relative path either, which
 * may be a
 *   secret in the wrong place
 */
export function readSecretFile(setting: string, path: string): SecretFile {
  if (!isAbsolute(path)) throw new SecretFileError(`${setting} must be an absolute path`)
  const refuse = (why: string): never => {
    throw new SecretFileError(`${setting} names ${path}, which ${why}`)
  }
  try {
    // Opening a pipe that nobody writes to would wait for a writer.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const facts = fstatSync(file)
      if (!facts.isFile()) return refuse('is no regular file')
      const text = contentOf(file, refuse).replace(/\r?\n$/, '')
      if (text.trim() === '') return refuse('is empty')
      return { text, isShared: (facts.mode & GROUP_AND_OTHERS) !== 0 }
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof SecretFileError) throw error
    return refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

// Counted while it is read: a file may grow, and some say that they are empty.
function contentOf(file: number, refuse: (why: string) => never): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1)
  let length = 0
  for (let read = 1; read > 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, null)
  }
  if (length > MAX_BYTES) return refuse(`is larger than ${MAX_KIB} KiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length))
  } catch {
    return refuse('is no text in UTF-8')
  }
}

/**
 * Whether modes say who can read the file: not for the credentials of systemd, in a folder that the service
 * alone may enter, where the mask of an access list shows as rights of the group.
 */
export const hasOwnModes = (path: string, credentialsDirectory: string | undefined): boolean =>
  !credentialsDirectory || !path.startsWith(`${credentialsDirectory}${sep}`)
