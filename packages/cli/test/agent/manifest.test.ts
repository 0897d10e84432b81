import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { checkedManifest, type Manifest } from '../../src/agent/transfer/manifest.ts'
import { manifestOf } from '../../src/agent/transfer/read-manifest.ts'
import { ReleaseSource } from '../../src/agent/transfer/release-source.ts'
import { ReleaseTarget } from '../../src/agent/transfer/release-target.ts'

const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const file = (fields: object = {}) => ({ path: 'a', type: 'file', mode: 0o644, size: 3, sha256, ...fields })
const folder = (path: string) => ({ path, type: 'folder', mode: 0o755 })
const link = (path: string, to: string) => ({ path, type: 'link', to })
const DEEP = ['a', 'a/b', 'a/b/c'].map(folder)
const described = (entries: unknown, fields: object = {}) => ({
  app: 'shop',
  release: 'r1',
  entries,
  ...fields,
})

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-manifest-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'manifest'],
  ['no entries', described(undefined)],
  ['an app that is a path', described([], { app: '../shop' })],
  ['an app with capitals', described([], { app: 'Shop' })],
  ['a release that is a path', described([], { release: '../../etc' })],
  ['a hidden release', described([], { release: '.incoming' })],
  ['a path above', described([file({ path: '../a' })])],
  ['a path through above', described([file({ path: 'a/../../b' })])],
  ['a path from the root', described([file({ path: '/etc/cron.d/x' })])],
  ['an empty part', described([file({ path: 'a//b' })])],
  ['a dot', described([file({ path: './a' })])],
  ['a line end', described([file({ path: 'a\nb' })])],
  ['a NUL', described([file({ path: 'a\u0000b' })])],
  ['a very long path', described([file({ path: 'a/'.repeat(600) })])],
  ['a path twice', described([file(), file()])],
  ['a link from the root', described([{ path: 'a', type: 'link', to: '/etc/passwd' }])],
  ['a link that leads out', described([{ path: 'a/b', type: 'link', to: '../../x' }])],
  ['a link to above', described([link('a', '..')])],
  ['a link that goes up past the root and comes back', described([folder('d'), link('d/l', '../../r1/d')])],
  ['a link over another link', described([folder('d'), link('d/l', '..'), link('esc', 'd/l/d')])],
  [
    'a link up from another link',
    described([...DEEP, link('a/b/c/l', '../../..'), link('esc', 'a/b/c/l/..')]),
  ],
  [
    'links that are described before what they lead over',
    described([link('esc', 'l/x'), link('l', 'm'), link('m', '.')]),
  ],
  ['a link without an end', described([link('a', '')])],
  ['a file below a link', described([link('esc', '.'), file({ path: 'esc/planted' })])],
  ['a folder below a link', described([folder('d'), link('esc', 'd'), folder('esc/x')])],
  ['a link below a link', described([link('esc', '.'), link('esc/x', '.')])],
  ['a file below a file', described([file(), file({ path: 'a/b' })])],
  ['a file in a folder that is not described', described([file({ path: 'd/a' })])],
  ['a folder that is described after what it holds', described([file({ path: 'd/a' }), folder('d')])],
  ['two names that a disk writes alike', described([file({ path: 'a\ud800' }), link('a\udfff', '.')])],
  ['a name that no disk takes', described([file({ path: 'é'.repeat(200) })])],
  ['a device', described([file({ type: 'device' })])],
  ['a negative size', described([file({ size: -1 })])],
  ['a size beyond numbers', described([file({ size: 1e300 })])],
  ['a mode with setuid', described([file({ mode: 0o4755 })])],
  ['no digest', described([file({ sha256: undefined })])],
  ['a digest in capitals', described([file({ sha256: sha256.toUpperCase() })])],
])('a peer that describes %s is refused', (_, given) => {
  expect(() => checkedManifest(given)).toThrow(expect.objectContaining({ name: 'BadManifest' }))
})

test('links within the release are taken, also to others, and where nothing is yet', () => {
  const entries = [
    ...DEEP,
    link('a/b/up', '../b/./c'),
    link('a/b/again', 'up'),
    link('to-be', 'made/later'),
    link('self', '.'),
  ]
  const given = described(entries)
  expect(checkedManifest(given)).toEqual(given)
})

test('a release with a link out of it cannot be moved', async () => {
  symlinkSync('../../other', join(place, 'out'))
  const about = { app: 'shop', release: 'r1', paths: undefined }
  await expect(manifestOf(place, about)).rejects.toMatchObject({ name: 'BadManifest' })
})

const target = () => ReleaseTarget.open(place, checkedManifest(described([file()])) as Manifest)
const bytes = async function* (text: string) {
  yield Buffer.from(text)
}
const there = () => readdirSync(place, { recursive: true, encoding: 'utf8' }).sort()
const INCOMING = 'shop/releases/.incoming-transfer-r1'
const PART = `${INCOMING}/${sha256}-3`

test('a file with another digest is removed, and the release is not made', async () => {
  const arriving = await target()
  await expect(arriving.write(0, 0, bytes('xyz'))).rejects.toMatchObject({ name: 'BadFile' })
  expect(there()).not.toContain(PART)
  await expect(arriving.finish()).rejects.toMatchObject({ name: 'BadFile' })
  expect(there()).not.toContain('shop/releases/r1')
  await arriving.write(0, 0, bytes('a'))
  expect(there()).toContain(PART)
  await arriving.write(0, 1, bytes('bc'))
  await arriving.finish()
  expect(there()).toEqual(['shop', 'shop/releases', 'shop/releases/r1', 'shop/releases/r1/a'])
})

test('more bytes than were described, or at another place, are refused', async () => {
  const arriving = await target()
  await expect(arriving.write(0, 0, bytes('abcd'))).rejects.toMatchObject({ name: 'BadFile' })
  await expect(arriving.write(0, 2, bytes('c'))).rejects.toMatchObject({ name: 'BadFile' })
  await expect(arriving.write(7, 0, bytes('c'))).rejects.toMatchObject({ name: 'BadFile' })
})

test('the same bytes at two places arrive once, and are two files', async () => {
  const entries = [folder('d'), file({ mode: 0o755 }), file({ path: 'd/a' })]
  const arriving = await ReleaseTarget.open(place, checkedManifest(described(entries)))
  await arriving.write(1, 0, bytes('abc'))
  expect(await arriving.offset(2)).toBe(3)
  await arriving.finish()
  const [one, two] = ['a', 'd/a'].map((path) => statSync(join(place, 'shop/releases/r1', path)))
  expect([one?.ino === two?.ino, one?.mode, two?.mode]).toEqual([false, 0o100755, 0o100644])
})

describe('what lies outside is neither read, grown nor removed', () => {
  let outside: string
  const text = () => readFileSync(join(outside, 'victim'), 'utf8')
  beforeEach(() => {
    outside = join(place, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'victim'), 'ab')
    mkdirSync(join(place, 'shop/releases'), { recursive: true })
  })

  test('although a link stands in place of the folder of parts', async () => {
    symlinkSync(outside, join(place, INCOMING))
    const arriving = await target()
    await arriving.write(0, 0, bytes('abc'))
    await arriving.finish()
    expect(readdirSync(outside)).toEqual(['victim'])
    expect(there()).toContain('shop/releases/r1/a')
  })

  test.each([
    ['before the manifest comes', true],
    ['after it came', false],
  ])('although a link stands in place of a part, put there %s', async (_, isEarly) => {
    mkdirSync(join(place, INCOMING))
    const put = () => symlinkSync(join(outside, 'victim'), join(place, PART))
    if (isEarly) put()
    const arriving = await target()
    if (!isEarly) put()
    expect(await arriving.offset(0)).toBe(0)
    await arriving.write(0, 0, bytes('abc'))
    await arriving.finish()
    expect(text()).toBe('ab')
    expect(lstatSync(join(place, 'shop/releases/r1/a')).isFile()).toBe(true)
  })

  test('although a link takes the place of the folder of parts meanwhile', async () => {
    const arriving = await target()
    rmSync(join(place, INCOMING), { recursive: true })
    symlinkSync(outside, join(place, INCOMING))
    writeFileSync(join(outside, `${sha256}-3`), 'longer than described')
    await expect(arriving.offset(0)).rejects.toThrow()
    await expect(arriving.write(0, 0, bytes('abc'))).rejects.toThrow()
    await expect(arriving.finish()).rejects.toThrow()
    expect(readdirSync(outside)).toEqual([`${sha256}-3`, 'victim'])
  })

  test('and a folder of parts holds nothing that an earlier manifest described', async () => {
    mkdirSync(join(place, INCOMING, 'd'), { recursive: true })
    writeFileSync(join(place, INCOMING, 'd/x'), '')
    symlinkSync(outside, join(place, INCOMING, 'esc'))
    await target()
    expect([readdirSync(join(place, INCOMING)), text()]).toEqual([[], 'ab'])
  })

  test('by a source whose release gets a link after it was described', async () => {
    const release = join(place, 'shop/releases/r1')
    mkdirSync(join(release, 'd'), { recursive: true })
    writeFileSync(join(release, 'd/victim'), 'own')
    symlinkSync('releases/r1', join(place, 'shop/current'))
    const source = await ReleaseSource.open(place, 'shop', undefined)
    const read = async () => {
      const parts: Buffer[] = []
      for await (const part of (await source.read(1, 1)) ?? []) parts.push(part as Buffer)
      return Buffer.concat(parts).toString()
    }
    expect(await read()).toBe('wn')
    for (const offset of [-1, 0.5, Number.NaN, 4]) expect(await source.read(1, offset)).toBeUndefined()
    rmSync(join(release, 'd'), { recursive: true })
    symlinkSync(outside, join(release, 'd'))
    await expect(read()).rejects.toThrow()
  })
})
