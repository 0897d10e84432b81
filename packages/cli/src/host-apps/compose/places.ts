import { posix } from 'node:path'
import { Problem } from '@svc/core'
import type { Findings } from './reading.ts'

/** A look at the repository. */
export interface Repository {
  /** The folder of the compose file, at which its paths begin; a dot for the repository itself. */
  readonly base: string
  /** The text of a file; undefined when it is not there. */
  text(path: string): string | undefined
  /** Whether a file or a folder is there; links are not. */
  has(path: string): boolean
}

/**
 * Returns a path as it stands below the repository, `.` for the whole; undefined for one that leaves it.
 * `base` is the folder that it begins at.
 */
export function inRepository(path: string, base = '.'): string | undefined {
  if (path.startsWith('/') || path.startsWith('~') || path.length > 1_000 || /[\0\r\n\\]/.test(path))
    return undefined
  const plain = posix.join(base, path).replace(/(?<=.)\/$/, '')
  return plain === '..' || plain.startsWith('../') || plain.split('/').includes('.git') ? undefined : plain
}

/** Returns the name of a process or a volume for a name of the file; undefined when there is none. */
export function plainName(name: string): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .replace(/-$/, '')
  return /^[a-z][a-z0-9-]{0,31}$/.test(plain) ? plain : undefined
}

/** @throws Problem `invalid-input` with the faults of a file, when there are any */
export function demandGood(file: string, { faults }: Findings): void {
  if (faults.length === 0) return
  const more = faults.length > 8 ? `; and ${faults.length - 8} more` : ''
  throw new Problem('invalid-input', {
    detail: `${file} is refused: ${faults.slice(0, 8).join('; ')}${more}`,
  })
}
