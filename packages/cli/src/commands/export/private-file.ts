import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Problem } from '@svc/core/client'

/** Takes pieces of a text. */
type Sink = (piece: string) => Promise<void>

/**
 * Writes a file that only its owner can read, compressed if its name ends in `.gz`. The file has its name
 * when it is complete and on the disk; after a failure nothing is left.
 * @throws Problem `conflict` when there is such a file and `isForced` is false
 */
export async function writePrivateFile<T>(
  path: string,
  isForced: boolean,
  fill: (sink: Sink) => Promise<T>,
): Promise<T> {
  if (!isForced && existsSync(path)) throw present(path)
  const unfinished = `${path}.${process.pid}.part`
  // Never the file or the link of somebody else.
  const file = await open(unfinished, 'wx', 0o600)
  try {
    const output = createWriteStream('', { fd: file.fd, autoClose: false })
    const input = path.endsWith('.gz') ? createGzip() : undefined
    const first = input ?? output
    const written = input === undefined ? once(output, 'finish') : pipeline(input, output)
    // A failure is reported by the next piece, or by the end.
    written.catch(() => {})
    const result = await fill(async (piece) => {
      if (!first.write(piece)) await Promise.race([once(first, 'drain'), written])
    })
    first.end()
    await written
    await file.sync()
    await (isForced ? rename(unfinished, path) : link(unfinished, path).catch((error) => refuse(error, path)))
    return result
  } finally {
    await file.close()
    await rm(unfinished, { force: true })
  }
}

const present = (path: string): Problem =>
  new Problem('conflict', { detail: `${path} exists already: name another file, or replace it with --force` })

function refuse(error: NodeJS.ErrnoException, path: string): never {
  throw error.code === 'EEXIST' ? present(path) : error
}
