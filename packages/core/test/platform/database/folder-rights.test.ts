import { chmod, chown, lchown, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import {
  folderAccess,
  ownFolder,
  requireTrustedSocket,
  trustedFolder,
} from '../../../src/platform/database/data-folder.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOBODY = 65_534
/** Only root can give a file to another user. */
const asRoot = process.getuid?.() === 0 ? it : it.skip

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777

/** Makes a folder with this mode, inside a folder of this user. */
async function folderOf(mode: number): Promise<string> {
  const folder = join(await temporaryFolder(), 'data')
  await mkdir(folder)
  await chmod(folder, mode)
  return folder
}

const FORBIDDEN = {
  code: 'forbidden',
  data: { detail: expect.stringMatching(/ belongs to user 65534, and this runs as user \d+: .*chown/) },
}

describe('a data folder', () => {
  it('is made for this user alone, with those around it', async () => {
    const folder = join(await temporaryFolder(), 'a', 'b')
    const before = process.umask(0)
    try {
      await ownFolder(folder)
    } finally {
      process.umask(before)
    }
    expect([await modeOf(folder), await modeOf(join(folder, '..'))]).toEqual([0o700, 0o700])
  })

  it.each([0o755, 0o777, 0o770, 0o701, 0o704, 0o720])('of mode %o is made private', async (mode) => {
    const folder = await folderOf(mode)
    expect(await folderAccess(folder)).toBe('open-to-others')
    await ownFolder(folder)
    expect(await modeOf(folder)).toBe(0o700)
    expect(await folderAccess(folder)).toBe('private')
  })

  it('that is private already stays as it is, whatever it holds', async () => {
    const folder = await folderOf(0o500)
    await ownFolder(folder)
    expect(await modeOf(folder)).toBe(0o500)
    await chmod(folder, 0o700)
    await writeFile(join(folder, 'thesis.txt'), 'text')
    await expect(ownFolder(folder)).resolves.toBeUndefined()
  })

  it('that is open is made private when it holds a database, and refused when it holds other things', async () => {
    const folder = await folderOf(0o755)
    await writeFile(join(folder, 'thesis.txt'), 'text')
    await expect(ownFolder(folder)).rejects.toMatchObject({ code: 'conflict' })
    expect(await modeOf(folder)).toBe(0o755)
    await mkdir(join(folder, 'database'))
    await ownFolder(folder)
    expect(await modeOf(folder)).toBe(0o700)
  })

  it('is refused when it is one that everybody shares, as /tmp is', async () => {
    const folder = await folderOf(0o1777)
    await expect(ownFolder(folder)).rejects.toMatchObject({ code: 'conflict' })
    expect(await modeOf(folder)).toBe(0o1777)
  })

  asRoot('of another user is refused and left alone, also by root', async () => {
    const folder = await folderOf(0o755)
    await chown(folder, NOBODY, NOBODY)
    expect(await folderAccess(folder)).toBe('belongs-to-another')
    await expect(ownFolder(folder)).rejects.toMatchObject(FORBIDDEN)
    await expect(trustedFolder(folder)).rejects.toMatchObject(FORBIDDEN)
    // A link of this user to the folder does not make the folder theirs.
    await symlink(folder, `${folder}.link`)
    await expect(ownFolder(`${folder}.link`)).rejects.toMatchObject(FORBIDDEN)
    await expect(trustedFolder(`${folder}.link`)).rejects.toMatchObject(FORBIDDEN)
    expect([await modeOf(folder), await readdir(folder)]).toEqual([0o755, []])
  })

  asRoot('with the database of another user, or behind the link of one, is refused', async () => {
    const folder = await folderOf(0o777)
    await mkdir(join(folder, 'database'))
    await chown(join(folder, 'database'), NOBODY, NOBODY)
    await expect(ownFolder(folder)).rejects.toMatchObject(FORBIDDEN)
    const own = await folderOf(0o700)
    await symlink(own, `${own}.link`)
    await expect(trustedFolder(`${own}.link`)).resolves.toBe(own)
    await lchown(`${own}.link`, NOBODY, NOBODY)
    for (const judged of [ownFolder, trustedFolder]) {
      await expect(judged(`${own}.link`)).rejects.toMatchObject(FORBIDDEN)
    }
  })
})

describe('a folder that a command is about to use', () => {
  it('is made private first, so that nobody else puts a socket there', async () => {
    const folder = await folderOf(0o777)
    expect(await trustedFolder(folder)).toBe(folder)
    expect(await modeOf(folder)).toBe(0o700)
  })

  asRoot('may hold a socket of this user or of root, and of nobody else', async () => {
    const path = join(await folderOf(0o700), 'control.sock')
    await expect(requireTrustedSocket(path)).resolves.toBeUndefined()
    await writeFile(path, '')
    await expect(requireTrustedSocket(path)).resolves.toBeUndefined()
    await chown(path, NOBODY, NOBODY)
    await expect(requireTrustedSocket(path)).rejects.toMatchObject(FORBIDDEN)
  })
})
