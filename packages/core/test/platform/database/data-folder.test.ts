import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildJob, buildTenant, embeddedFolder } from '@svc/testing'
import { pgliteDriver } from '../../../src/platform/database/orm.ts'
import { openStorage } from '../../../src/sql.ts'
import { temporaryFolder } from './temporary-folder.ts'

// Time limit: creating a database takes seconds on a busy machine.
const PATIENCE_MS = 120_000

describe('an embedded database in a folder', () => {
  it(
    'has its rows, its schema and its leases when it is opened again',
    async () => {
      const dataDir = await temporaryFolder()
      const [tenant, job] = [buildTenant(), buildJob()]
      {
        await using storage = await openStorage({ dataDir })
        expect(storage.kind).toBe('pglite-folder')
        await storage.tenants.add(tenant)
        await storage.jobs.enqueue(job)
        await storage.jobs.lease({
          licenseId: job.licenseId,
          fingerprint: 'fp',
          leaseSeconds: 300,
          claimKey: undefined,
        })
      }
      await using storage = await openStorage({ dataDir })
      expect(await storage.health()).toMatchObject({
        missingTables: [],
        migrations: { pending: [], drifted: [] },
      })
      expect(await storage.tenants.find(PLATFORM, tenant.id)).toMatchObject(tenant)
      expect(await storage.jobs.get(PLATFORM, job.id)).toMatchObject({
        state: 'claimed',
        claimedBy: 'fp',
        attempt: 1,
      })
    },
    PATIENCE_MS,
  )

  it(
    'is given back when its schema is refused',
    async () => {
      const dataDir = await temporaryFolder()
      await embeddedFolder(dataDir)
      await (await openStorage({ dataDir }))[Symbol.asyncDispose]()
      const driver = await pgliteDriver({ dataDir: `${dataDir}/database` })
      await driver.probe(`insert into migration_checksums (name, checksum) values ('9999-later', 'x')`)
      await driver.close()
      await expect(openStorage({ dataDir })).rejects.toMatchObject({ code: 'conflict' })
      expect((await readdir(dataDir)).toSorted()).toEqual(['data-key', 'database'])
    },
    PATIENCE_MS,
  )

  it(
    'is made anew when its first start was cut off before the files of the database were complete',
    async () => {
      const dataDir = await temporaryFolder()
      await mkdir(`${dataDir}/database/base/1`, { recursive: true })
      await writeFile(`${dataDir}/database/base/1/PG_VERSION`, '')
      await using storage = await openStorage({ dataDir })
      expect(await storage.health()).toMatchObject({ missingTables: [], migrations: { pending: [] } })
    },
    PATIENCE_MS,
  )
})
