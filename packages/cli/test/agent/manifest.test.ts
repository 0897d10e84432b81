import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { checkedManifest, type Manifest, manifestOf } from '../../src/agent/transfer/manifest.ts'
import { ReleaseTarget } from '../../src/agent/transfer/release-target.ts'

const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const file = (fields: object = {}) => ({ path: 'a', type: 'file', mode: 0o644, size: 3, sha256, ...fields })
const described = (entries: unknown, fields: object = {}) => ({
  app: 'shop',
  release: 'r1',
  entries,
  ...fields,
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-manifest-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

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
  ['a link to above', described([{ path: 'a', type: 'link', to: '..' }])],
  ['a device', described([file({ type: 'device' })])],
  ['a negative size', described([file({ size: -1 })])],
  ['a size beyond numbers', described([file({ size: 1e300 })])],
  ['a mode with setuid', described([file({ mode: 0o4755 })])],
  ['no digest', described([file({ sha256: undefined })])],
  ['a digest in capitals', described([file({ sha256: sha256.toUpperCase() })])],
])('a peer that describes %s is refused', (_, given) => {
  expect(() => checkedManifest(given)).toThrow(expect.objectContaining({ name: 'BadManifest' }))
})

test('a release with a link out of it cannot be moved', async () => {
  symlinkSync('../../other', join(folder, 'out'))
  const about = { app: 'shop', release: 'r1', paths: undefined }
  await expect(manifestOf(folder, about)).rejects.toMatchObject({ name: 'BadManifest' })
})

const target = () => ReleaseTarget.open(folder, checkedManifest(described([file()])) as Manifest)
const bytes = async function* (text: string) {
  yield Buffer.from(text)
}
const there = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
const INCOMING = 'shop/releases/.incoming-transfer-r1'

test('a file with another digest is removed, and the release is not made', async () => {
  const arriving = await target()
  await expect(arriving.write(0, 0, bytes('xyz'))).rejects.toMatchObject({ name: 'BadFile' })
  expect(there()).not.toContain(`${INCOMING}/a`)
  await expect(arriving.finish()).rejects.toMatchObject({ name: 'BadFile' })
  expect(there()).not.toContain('shop/releases/r1')
  await arriving.write(0, 0, bytes('a'))
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

test('a link that stands where a file or a folder comes is not followed', async () => {
  const outside = join(folder, 'outside')
  mkdirSync(join(folder, INCOMING), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'victim'), 'untouched')
  symlinkSync(join(outside, 'victim'), join(folder, INCOMING, 'a'))
  symlinkSync(outside, join(folder, INCOMING, 'd'))
  const entries = [{ path: 'd', type: 'folder', mode: 0o755 }, file(), file({ path: 'd/victim' })]
  const arriving = await ReleaseTarget.open(folder, checkedManifest(described(entries)))
  await arriving.write(1, 0, bytes('abc'))
  await arriving.write(2, 0, bytes('abc'))
  await arriving.finish()
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('untouched')
  expect(there()).toContain('shop/releases/r1/d/victim')
})
