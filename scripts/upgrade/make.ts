import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@svc/core'
import { DebianPostgres, debianVersions } from '../../test/support/debian-postgres.ts'
import { makeInstallation } from './installation.ts'
import { trimWal } from './trim-wal.ts'
import { openWorld } from './world.ts'

const LARGEST = 1 << 28
/** Statements that any client and any owner can run. */
const DUMP = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges']
/** Words to psql, which newer minor versions put around a dump. */
const WORDS = /^\\(?:un)?restrict .*\n/gm

/** Runs an installation on PostgreSQL; `to` gets its dump, the state folder of its agent and its facts. */
export async function onPostgres(release: string, to: string): Promise<void> {
  const [version] = debianVersions()
  if (version === undefined) throw new Error('pg_dump is missing: install the package postgresql')
  await using server = await DebianPostgres.open(version)
  await kept(to, ['database.sql', 'agent', 'facts.json'], async (cwd) => {
    await made(release, cwd, { DATABASE_URL: server.url })
    const dump = execFileSync('pg_dump', [...DUMP, server.url], { encoding: 'utf8', maxBuffer: LARGEST })
    writeFileSync(join(cwd, 'database.sql'), dump.replaceAll(WORDS, ''))
  })
}

/** Runs one on a data folder; `to` gets it, the state folder of the agent and the facts. */
export const onFolder = (release: string, to: string): Promise<void> =>
  kept(to, ['data', 'agent', 'facts.json'], async (cwd) => {
    await made(release, cwd, { SERVICE_DATA_DIR: join(cwd, 'data') })
    trimWal(join(cwd, 'data/database'))
  })

async function made(release: string, cwd: string, place: Environment): Promise<void> {
  await using world = await openWorld()
  await makeInstallation({ release, world, cwd, place })
}

/** Runs work in a folder of its own, and copies some of the files that it leaves there. */
async function kept(
  to: string,
  names: readonly string[],
  work: (cwd: string) => Promise<void>,
): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-old-'))
  try {
    await work(cwd)
    mkdirSync(to, { recursive: true })
    for (const name of names)
      cpSync(join(cwd, name), join(to, name), { recursive: true, verbatimSymlinks: true })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
