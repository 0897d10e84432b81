import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { DiskSpace, reservedBytes } from '../../../src/platform/database/disk-space.ts'
import { pgliteDriver } from '../../../src/platform/database/orm.ts'
import { sqlStorage } from '../../../src/platform/storage/sql-storage.ts'
import { embeddedSnapshot } from '../../../src/sql.ts'
import { FEATURES } from '../../../src/wiring/features.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MIB = 1024 * 1024
const BLOCK = 4096

/** A disk of 2 GiB that a test fills and empties; 102.4 MiB of it must stay free. */
class Disk {
  freeMib = 1024
  looks = 0
  elapsedMs = 0
  readonly space = new DiskSpace(
    '/var/lib/svc',
    async () => {
      this.looks += 1
      return { bavail: (this.freeMib * MIB) / BLOCK, bsize: BLOCK, blocks: (2048 * MIB) / BLOCK }
    },
    () => this.elapsedMs,
  )
}

const full = (missing: number) => ({
  code: 'unavailable',
  data: {
    detail: `the disk under /var/lib/svc is nearly full: free ${missing} MiB there, then try again`,
    retryAfterSeconds: 30,
  },
})

describe('disk space', () => {
  it.each([
    ['a small disk', 100, 64],
    ['a disk of 2 GiB', 2048, 102.4],
    ['a large disk', 1024 * 1024, 256],
  ])('5 %% must stay free, at least 64 and at most 256 MiB: %s', (_, sizeMib, reservedMib) => {
    expect(reservedBytes(sizeMib * MIB)).toBe(reservedMib * MIB)
  })

  it('lets work pass while there is room, and refuses it by name once there is not', async () => {
    const disk = new Disk()
    disk.freeMib = 103
    await disk.space.require()
    disk.freeMib = 52.5
    disk.elapsedMs += 1001
    await expect(disk.space.require()).rejects.toMatchObject(full(50))
  })

  it('looks at most once a second, and sees room that was made', async () => {
    const disk = new Disk()
    disk.freeMib = 0
    for (let count = 0; count < 5; count += 1)
      await expect(disk.space.require()).rejects.toMatchObject(full(103))
    expect(disk.looks).toBe(1)
    disk.freeMib = 1024
    disk.elapsedMs += 1000
    await expect(disk.space.require()).rejects.toMatchObject(full(103))
    disk.elapsedMs += 1
    await disk.space.require()
    expect(disk.looks).toBe(2)
  })

  it('passes on a real disk with room', async () => {
    await new DiskSpace(await temporaryFolder()).require()
  })

  it('storage on a full disk refuses statements and transactions, and still tells its health', async () => {
    const disk = new Disk()
    const driver = await pgliteDriver({ snapshot: await embeddedSnapshot() })
    await using storage = sqlStorage('pglite-folder', driver, (await FEATURES.sql()).stores, {
      disk: disk.space,
    })
    disk.freeMib = 1
    await expect(storage.tenants.list(PLATFORM)).rejects.toMatchObject(full(102))
    await expect(storage.jobs.get(PLATFORM, 'job_x')).rejects.toMatchObject(full(102))
    await expect(storage.transaction(async () => 1)).rejects.toMatchObject(full(102))
    expect((await storage.health()).missingTables).toEqual([])
  })
})
