import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { migrationStatusOf } from '@svc/core/sql'
import { postgresStorage } from '@svc/testing'
import {
  agentsStoreContract,
  jobsStoreContract,
  licensesStoreContract,
  rateCounterContract,
  sessionsStoreContract,
  storageContract,
} from '@svc/testing/contracts'
import { DebianPostgres, debianVersions } from '../../../../../test/support/debian-postgres.ts'
import { SERVER } from './backends.ts'
import { emptyDatabase, exported, imported } from './export/export-bench.ts'
import { filledFolder } from './export/filled-folder.ts'

const own = (process.env.SVC_TEST_POSTGRES_VERSION ?? '').split('.')[0]
/** Versions of this machine beside the one that all suites run on. */
const others = debianVersions().filter((version) => version !== own)
const suite = others.length > 0 ? describe.each(others) : describe.skip.each(['of Debian (none is here)'])

suite('PostgreSQL %s', (version) => {
  let server: DebianPostgres
  beforeAll(async () => {
    server = await DebianPostgres.open(version)
  }, 60_000)
  afterAll(() => server[Symbol.asyncDispose]())

  const open = () => postgresStorage(server.url)
  const name = `PostgreSQL ${version}`
  for (const contract of [
    storageContract,
    agentsStoreContract,
    jobsStoreContract,
    licensesStoreContract,
    sessionsStoreContract,
    rateCounterContract,
  ]) {
    contract(name, open)
  }

  test('an export of a folder goes to it, from there to the packaged version, and stays the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
    try {
      const file = await exported(await filledFolder(join(folder, 'source')))
      await using older = await emptyDatabase(server.url)
      expect(await migrationStatusOf(older.url)).toMatchObject({ pending: [], drifted: [] })
      await imported(older, file)
      await using newer = await emptyDatabase(SERVER)
      await imported(newer, await exported(older))
      expect(await exported(newer)).toBe(file)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }, 120_000)
})
