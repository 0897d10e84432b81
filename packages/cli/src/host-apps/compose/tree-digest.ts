import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'

const MAX_ENTRIES = 20_000
const MAX_BYTES = 268_435_456

/**
 * Returns a digest of a file or a folder: names, contents, and which files run.
 * @throws Problem `conflict` when that is too much
 */
export function treeDigest(path: string): string {
  const hash = createHash('sha256')
  const left = { entries: MAX_ENTRIES, bytes: MAX_BYTES }
  const add = (at: string, name: string): void => {
    const stat = lstatSync(at)
    left.entries -= 1
    left.bytes -= stat.isFile() ? stat.size : 0
    if (left.entries < 0 || left.bytes < 0)
      throw new Problem('conflict', {
        detail: `what is mounted of the repository is more than ${MAX_ENTRIES} files or ${MAX_BYTES} bytes`,
      })
    const kind = stat.isDirectory()
      ? 'folder'
      : stat.isSymbolicLink()
        ? 'link'
        : stat.mode & 0o100
          ? 'program'
          : 'file'
    hash.update(JSON.stringify([name, kind, stat.size * (stat.isFile() ? 1 : 0)]))
    if (stat.isFile()) hash.update(readFileSync(at))
    else if (stat.isSymbolicLink()) hash.update(JSON.stringify(readlinkSync(at)))
    else if (stat.isDirectory())
      for (const each of readdirSync(at).sort()) if (each !== '.git') add(join(at, each), `${name}/${each}`)
  }
  add(path, '')
  return hash.digest('hex')
}
