import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Storage } from '@svc/core'

// Storage loads when it is opened: suites on the fakes alone do without the ORM, half of all modules.
const sql = () => import('@svc/core/sql')

let snapshot: Promise<Blob> | undefined

/**
 * Opens storage on a migrated PostgreSQL inside this process, in memory. Opening takes 0.3 s, as it starts
 * from a snapshot, which the first run on a machine makes and keeps in the temporary folder until the schema
 * changes.
 */
export async function pgliteStorage(): Promise<Storage> {
  const { openStorage } = await sql()
  snapshot ??= keptSnapshot()
  try {
    return await openStorage({ memory: true, snapshot: await snapshot })
  } catch {
    // The snapshot is damaged, or another release of the database wrote it.
    snapshot = freshSnapshot()
    return openStorage({ memory: true, snapshot: await snapshot })
  }
}

/**
 * Fills a new data folder with a migrated database, from the snapshot of `pgliteStorage`, so that the first
 * start of `svc serve` on it is as quick as any other. Needs the command `tar`.
 * @throws Error when the folder has a database already
 */
export async function embeddedFolder(dataDir: string): Promise<void> {
  const database = join(dataDir, 'database')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await mkdir(database, { mode: 0o700 })
  const unpacked = promisify(execFile)('tar', [
    '-x',
    '--no-same-owner',
    '--no-same-permissions',
    '-C',
    database,
  ])
  unpacked.child.stdin?.end(Buffer.from(await (await keptSnapshot()).arrayBuffer()))
  await unpacked
}

async function keptSnapshot(): Promise<Blob> {
  const path = await snapshotPath()
  const kept = path === undefined ? undefined : await readFile(path).catch(() => undefined)
  return kept === undefined ? freshSnapshot() : new Blob([kept])
}

async function freshSnapshot(): Promise<Blob> {
  const { embeddedSnapshot } = await sql()
  const [made, path] = [await embeddedSnapshot(), await snapshotPath()]
  if (path !== undefined) {
    const own = `${path}.${process.pid}`
    await writeFile(own, Buffer.from(await made.arrayBuffer()), { mode: 0o600 })
    await rename(own, path)
    await forgetOthers(path)
  }
  return made
}

// A snapshot takes 40 MB, so snapshots of earlier schemas are deleted.
async function forgetOthers(path: string): Promise<void> {
  const others = (await readdir(dirname(path))).filter(
    (name) => name.endsWith('.tar') && name !== basename(path),
  )
  for (const name of others) await rm(join(dirname(path), name), { force: true })
}

async function snapshotPath(): Promise<string | undefined> {
  const [folder, { SCHEMA }] = [await ownFolder(), await sql()]
  const name = createHash('sha256').update(SCHEMA).digest('hex').slice(0, 32)
  return folder === undefined ? undefined : join(folder, `${name}.tar`)
}

// A folder that another user may have created under our name is not used.
async function ownFolder(): Promise<string | undefined> {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `svc-testing-${uid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await stat(folder)
  return found.uid === uid || uid === -1 ? folder : undefined
}
