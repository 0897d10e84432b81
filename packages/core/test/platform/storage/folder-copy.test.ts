import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildTenant, embeddedFolder, pgliteStorage } from '@svc/testing'
import { copyFolder } from '../../../src/platform/storage/folder-copy.ts'
import { openStorage } from '../../../src/sql.ts'
import { temporaryFolder } from '../database/temporary-folder.ts'

const MIB = 1024 * 1024

const copiesIn = async (dataDir: string) =>
  (await readdir(dataDir)).filter((name) => name.startsWith('copy-'))

test('a copy has what was committed when it was made, and nothing else; the database goes on', async () => {
  const dataDir = await temporaryFolder()
  await embeddedFolder(dataDir)
  await using storage = await openStorage({ dataDir })
  const [before, within, after] = [buildTenant(), buildTenant(), buildTenant()]
  await storage.tenants.add(before)
  let name = ''
  const copying = storage.transaction(async ({ tenants }) => {
    await tenants.add(within)
    name = (await storage.copy?.()) ?? ''
  })
  await copying
  await storage.tenants.add(after)
  {
    await using copy = await openStorage({ dataDir: join(dataDir, name) })
    const found = await Promise.all([before, within, after].map(({ id }) => copy.tenants.find(PLATFORM, id)))
    expect(found.map((tenant) => tenant?.id)).toEqual([before.id, undefined, undefined])
    // The copy is one of its own.
    await copy.tenants.add(buildTenant())
  }
  expect(await storage.tenants.find(PLATFORM, after.id)).toBeDefined()
  expect(await storage.tenants.list(PLATFORM)).toHaveLength(3)
}, 60_000)

test('a start deletes copies that nobody has open, and no other', async () => {
  const dataDir = await temporaryFolder()
  await embeddedFolder(dataDir)
  {
    await using storage = await openStorage({ dataDir })
    await storage.copy?.()
    await storage.copy?.()
  }
  const [kept = '', gone = ''] = await copiesIn(dataDir)
  expect(gone).not.toBe('')
  await using _ = await openStorage({ dataDir: join(dataDir, kept) })
  await using again = await openStorage({ dataDir })
  expect(await copiesIn(dataDir)).toEqual([kept])
  expect(await again.tenants.list(PLATFORM)).toEqual([])
}, 60_000)

test('a copy leaves the reserved room of the disk alone: without room for it there is none', async () => {
  const dataDir = await temporaryFolder()
  const database = join(dataDir, 'database')
  await mkdir(join(database, 'base'), { recursive: true })
  await writeFile(join(database, 'base', '1'), Buffer.alloc(3 * MIB))
  const roomOf = (freeBytes: number) => async () => ({ freeBytes, reservedBytes: 64 * MIB })
  const detail = `a copy of the database needs room beside it: free 2 MiB under ${dataDir}, then try again`
  await expect(copyFolder(dataDir, roomOf(65 * MIB))).rejects.toMatchObject({
    code: 'unavailable',
    data: { detail },
  })
  expect(await copiesIn(dataDir)).toEqual([])
  const name = await copyFolder(dataDir, roomOf(67 * MIB))
  expect((await readFile(join(dataDir, name, 'database', 'base', '1'))).length).toBe(3 * MIB)
})

test('a folder without a database is not copied, and leaves nothing', async () => {
  const dataDir = await temporaryFolder()
  await mkdir(join(dataDir, 'other'))
  await expect(copyFolder(dataDir)).rejects.toThrow('ENOENT')
  expect(await copiesIn(dataDir)).toEqual([])
})

test('a database in memory has no copy', async () => {
  await using storage = await pgliteStorage()
  expect(storage.copy).toBeUndefined()
})
