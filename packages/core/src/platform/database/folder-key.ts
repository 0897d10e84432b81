import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDataKey, newDataKey } from '../config/data-key.ts'

/** The file in a data folder that holds the key of its secrets. */
export const DATA_KEY_FILE = 'data-key'

/**
 * Returns the key for secrets of an embedded database, which lies in a file of mode 0600 beside it. The first
 * call makes it. The caller holds the lock of the folder.
 * @throws Error if the file holds anything else
 */
export async function folderKey(dataDir: string): Promise<string> {
  const path = join(dataDir, DATA_KEY_FILE)
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (known === undefined) return madeKey(path)
  const key = known.trim()
  if (!isDataKey(key)) throw new Error(`${path} holds no data key: restore it from a backup`)
  return key
}

// On the disk before anything is sealed with it: a secret whose key is lost is lost too.
async function madeKey(path: string): Promise<string> {
  const key = newDataKey('folder')
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(`${key}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return key
}
