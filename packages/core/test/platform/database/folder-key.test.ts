import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createControlPlane, readConfig } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { embeddedFolder } from '@svc/testing'
import { folderKey } from '../../../src/platform/database/folder-key.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-folder-key-'))
  await chmod(folder, 0o700)
})
afterEach(() => rm(folder, { recursive: true }))

const path = () => join(folder, 'data-key')

test('the key of a folder is made once, for its owner alone', async () => {
  const key = await folderKey(folder)
  expect(key).toMatch(/^folder:[A-Za-z0-9+/]{43}=$/)
  expect(await folderKey(folder)).toBe(key)
  expect((await stat(path())).mode & 0o777).toBe(0o600)
  expect(await readFile(path(), 'utf8')).toBe(`${key}\n`)
})

test('a file that holds no key is refused and left as it is', async () => {
  await writeFile(path(), 'nonsense\n')
  await expect(folderKey(folder)).rejects.toThrow('holds no data key: restore it from a backup')
  expect(await readFile(path(), 'utf8')).toBe('nonsense\n')
})

test('a folder seals and opens without a setting, also when it is opened again', async () => {
  await embeddedFolder(folder)
  const config = readConfig({})
  {
    await using storage = await openStorage({ dataDir: folder })
    const { alertWebhooks } = createControlPlane({ config, storage })
    await alertWebhooks.set({ tenantId: '', url: 'https://hook.example', rotate: true })
    const [{ text = '' } = {}] = await storage.secrets.page('alertWebhooks', undefined, 2)
    expect(text).toMatch(/^v1:folder:/)
  }
  await using storage = await openStorage({ dataDir: folder })
  const { secrets } = createControlPlane({ config, storage })
  expect((await secrets.count())[0]).toMatchObject({ current: 1, unreadable: 0 })
})
