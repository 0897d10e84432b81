import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isAbsolute, sep } from 'node:path'

/** The suffix of a setting's name that makes it the path of a file with the value. */
export const FILE_SUFFIX = '_FILE'

const MAX_KIB = 64
const MAX_BYTES = MAX_KIB * 1024
const GROUP_AND_OTHERS = 0o077

/** A file that a setting names and that cannot supply its value. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError'
}

/** The value in a file, and whether users other than the owner have rights to the file. */
export interface SecretFile {
  readonly text: string
  readonly isShared: boolean
}

/**
 * Reads the file that `setting` names: UTF-8 text of at most 64 KiB, without one line end at its end. Returns
 * at once for any kind of file.
 * @throws SecretFileError with setting and path, never with contents. For a relative path it names the
 * setting alone, since the path may be a secret in the wrong place.
 */
export function readSecretFile(setting: string, path: string): SecretFile {
  if (!isAbsolute(path)) throw new SecretFileError(`${setting} must be an absolute path`)
  const refuse = (why: string): never => {
    throw new SecretFileError(`${setting} names ${path}, which ${why}`)
  }
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would wait for one.
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

// Bytes are counted while they are read: a file may grow, and some report a size of 0.
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
 * Whether the file's mode tells its readers. It does not for systemd's credentials: their folder is open to
 * the service alone, and the mask of an access list shows as rights of the group.
 */
export const hasOwnModes = (path: string, credentialsDirectory: string | undefined): boolean =>
  !credentialsDirectory || !path.startsWith(`${credentialsDirectory}${sep}`)
