import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The file of our own beside the person's configuration of OpenSSH, which includes it. */
export const INCLUDED = 'svc_config'

const LINE = Buffer.from(`Include ${INCLUDED}\n`)

/**
 * Writes the configuration into a file of its own, and sees to it that the person's includes it in the first
 * line: of two values OpenSSH takes the first, and a `ProxyJump` for all hosts would win over ours. The rest
 * of the person's file stays as it is. A repeat changes nothing.
 */
export async function writeConfig(home: string, text: string): Promise<void> {
  const folder = join(home, '.ssh')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await replace(join(folder, INCLUDED), Buffer.from(text))
  const path = join(folder, 'config')
  const own = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  // A link to a file that is kept elsewhere stays one.
  if (!own.subarray(0, LINE.length).equals(LINE))
    await replace(await realpath(path).catch(() => path), Buffer.concat([LINE, own]))
}

/** Replaces a file as a whole, for its owner alone. */
async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`
  try {
    await using file = await open(draft, 'wx', 0o600)
    await file.writeFile(bytes)
    await file.sync()
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
