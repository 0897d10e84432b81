import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  ArchiveFolder,
  type ArchiveLine,
  MARK_FILE,
  type VerifiedFile,
} from '../../../src/platform/archive/archive-folder.ts'

const DAY = '2026-01-05'
const line = (of: string, n: number): ArchiveLine => ({ of, text: JSON.stringify({ n }) })

let parent: string
let folder: ArchiveFolder
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-archive-'))
  folder = new ArchiveFolder(join(parent, 'archive'))
  await folder.begin('arc_1')
})
afterEach(() => rm(parent, { recursive: true }))

const files = async (end: string) => (await readdir(folder.dir)).filter((name) => name.endsWith(end))
const verified = async () => {
  const found: VerifiedFile[] = []
  for await (const file of folder.verify()) found.push(file)
  return found
}
const only = async (end: string) => join(folder.dir, (await files(end))[0] ?? '')

describe('the folder of an archive', () => {
  it('names its plane, which stays, and tells a folder without a mark from one that is not there', async () => {
    await new ArchiveFolder(folder.dir).begin('arc_2')
    expect(await folder.mark()).toBe('arc_1')
    expect(await new ArchiveFolder(parent).mark()).toBeUndefined()
    await expect(new ArchiveFolder(join(parent, 'nowhere')).mark()).rejects.toThrow('ENOENT')
    await expect(new ArchiveFolder(join(parent, 'no', 'where')).begin('arc_1')).rejects.toThrow('ENOENT')
  })

  it('lines come back by the name of their thing, in their order, and no others', async () => {
    await folder.write(DAY, 'logs', [line('a', 1), line('a"\n', 2), line('b', 3)])
    await folder.write(DAY, 'logs', [line('b', 4), line('c', 5)])
    await folder.write('2026-01-06', 'logs', [line('b', 6)])
    await folder.write(DAY, 'jobs', [line('b', 7)])
    const read = async (of: string) => (await folder.read(DAY, 'logs', of)).map((text) => JSON.parse(text).n)
    expect(await Promise.all(['a', 'a"\n', 'b', 'c', 'bb', ''].map(read))).toEqual([
      [1],
      [2],
      [3, 4],
      [5],
      [],
      [],
    ])
    expect(await folder.read('2026-01-07', 'logs', 'b')).toEqual([])
  })

  it('files are for their owner alone, and any gzip reads them', async () => {
    await folder.write(DAY, 'jobs', [line('a', 1)])
    await folder.write(DAY, 'jobs', [line('b', 2)])
    for (const name of await readdir(folder.dir))
      expect([name, (await stat(join(folder.dir, name))).mode & 0o777]).toEqual([name, 0o600])
    expect((await stat(folder.dir)).mode & 0o777).toBe(0o700)
    const text = gunzipSync(await readFile(await only('.gz')))
    expect(
      text
        .toString()
        .split('\n')
        .slice(0, -1)
        .map((each) => JSON.parse(each)),
    ).toEqual([
      { of: 'a', n: 1 },
      { of: 'b', n: 2 },
    ])
    expect(JSON.parse(await readFile(join(folder.dir, MARK_FILE), 'utf8'))).toEqual({
      archive: 'svc',
      version: 1,
      plane: 'arc_1',
    })
  })

  it('two processes write at once, and each has files of its own', async () => {
    const other = new ArchiveFolder(folder.dir)
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? folder : other).write(DAY, 'logs', [line('a', n)])),
    )
    expect(await files('.gz')).toHaveLength(2)
    const numbers = (await folder.read(DAY, 'logs', 'a')).map((text) => JSON.parse(text).n as number)
    expect(numbers.sort((one, two) => one - two)).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect((await verified()).map(({ fault, lines }) => [fault, lines])).toEqual([
      [undefined, 10],
      [undefined, 10],
    ])
  })

  it('many lines are several pieces, and one of any length is one', async () => {
    const long = { of: 'b', text: JSON.stringify({ long: 'x'.repeat(5_000_000) }) }
    await folder.write(DAY, 'logs', [line('a', 1), long, line('c', 2)])
    expect(await verified()).toMatchObject([{ pieces: 2, lines: 3, fault: undefined }])
    expect(await folder.read(DAY, 'logs', 'b')).toEqual([long.text])
  })

  it.each([
    [
      'a changed byte',
      async (data: string) => {
        const bytes = await readFile(data)
        bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20)
        await writeFile(data, bytes)
      },
      'has another digest',
    ],
    ['a file that was cut off', async (data: string) => truncate(data, 30), 'is cut off'],
    ['a file that is gone', async (data: string) => rm(data), 'ENOENT'],
  ])('%s is found, and the other files are still good', async (_, damage, why) => {
    await folder.write(DAY, 'jobs', [line('a', 1)])
    await damage(await only('.gz'))
    await folder.write('2026-01-06', 'jobs', [line('a', 1)])
    const faults = (await verified()).map(({ fault }) => fault)
    expect(faults).toEqual([expect.stringContaining(why), undefined])
  })

  it('an index that repeats or lacks a piece is found where pieces overlap or lines differ', async () => {
    await folder.write(DAY, 'jobs', [line('a', 1), line('b', 2)])
    const index = await only('.index')
    const text = await readFile(index, 'utf8')
    await writeFile(index, text.replace('"lines":2', '"lines":3'))
    expect(await verified()).toMatchObject([{ fault: 'the piece at 0 has 2 lines, not 3' }])
    await writeFile(index, text + text)
    expect(await verified()).toMatchObject([{ fault: 'the piece at 0 begins within another' }])
  })

  it('bytes that an interruption left count for nothing: in a file, and in an index', async () => {
    await folder.write(DAY, 'jobs', [line('a', 1)])
    await appendFile(await only('.gz'), 'half of a piece')
    await appendFile(await only('.index'), '{"offset":')
    expect(await verified()).toMatchObject([{ lines: 1, fault: undefined }])
    expect(await folder.read(DAY, 'jobs', 'a')).toHaveLength(1)
  })

  it('after a write that failed, the next one goes to other files, not behind half a line', async () => {
    await folder.write(DAY, 'jobs', [line('a', 1)])
    const [data, index] = [await only('.gz'), await only('.index')]
    await rm(data)
    await mkdir(data)
    await expect(folder.write(DAY, 'jobs', [line('a', 2)])).rejects.toThrow('EISDIR')
    await rm(data, { recursive: true })
    await appendFile(index, '{"offset":')
    await folder.write('2026-01-06', 'jobs', [line('a', 3)])
    await folder.write(DAY, 'jobs', [line('b', 4)])
    expect(await folder.read(DAY, 'jobs', 'b')).toEqual(['{"n":4}'])
    expect(await files('.index')).toHaveLength(3)
  })
})
