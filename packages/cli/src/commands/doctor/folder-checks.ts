import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '@svc/core'
import { diskFinding, type Finding, folderAccess, type NamedCheck } from '@svc/core/adapters'

/** The folder of an embedded database: can it be written, has somebody got it, is there room. */
export function folderChecks({ service }: Pick<Config, 'service'>): readonly NamedCheck[] {
  const { dataDir } = service
  if (dataDir === undefined) {
    return [{ name: 'database', run: () => ({ status: 'warn', detail: 'in-memory' }) }]
  }
  return [
    { name: 'data-folder', run: () => folderFinding(dataDir) },
    {
      name: 'disk',
      run: async () => {
        const { diskRoom } = await import('@svc/core/sql')
        return diskFinding(await diskRoom(nearestExisting(dataDir)))
      },
    },
  ]
}

/** The folder itself, or the one that it would be made in. */
const nearestExisting = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder))

async function folderFinding(dataDir: string): Promise<Finding> {
  const folder = nearestExisting(dataDir)
  const { folderHolder } = await import('@svc/core/sql')
  const access = folder === dataDir ? await folderAccess(folder) : 'private'
  // Nothing is written into somebody else's folder, not even to try.
  if (access === 'belongs-to-another') return { status: 'fail', detail: access }
  if (!(await isWritable(folder))) return { status: 'fail', detail: 'not-writable' }
  if (folder !== dataDir) return { status: 'ok', detail: 'not-there-yet' }
  if (access !== 'private') return { status: 'warn', detail: access }
  return (await folderHolder(dataDir)) === undefined ? { status: 'ok' } : { status: 'ok', detail: 'served' }
}

// Tried, not asked: a read-only mount and a full table of inodes do not show in the modes of a folder.
async function isWritable(folder: string): Promise<boolean> {
  const path = join(folder, `.svc-doctor-${process.pid}`)
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
    return true
  } catch {
    return false
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}
