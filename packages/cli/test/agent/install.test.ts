import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { declaredUsers, installedFiles, PLACES } from '../../src/agent/install/installation.ts'
import { place, placedText, removePlaced } from '../../src/agent/install/placed-file.ts'
import {
  additionText,
  handlerOwner,
  ownerIn,
  unitPath,
  unitText,
  unitUrl,
  userName,
} from '../../src/agent/install/unit.ts'

const shipped = (name: string) => readFileSync(join(import.meta.dirname, '../../systemd', name), 'utf8')
const UNIT = shipped('svc-agent.service')
const ADDITION = shipped('handler-user.conf')
const SHIPPED = { url: 'https://svc.example', user: 'svc-agent', node: '/usr/bin/node' }
const PARTS = {
  program: 'agent',
  unit: UNIT,
  addition: ADDITION,
  firewall: shipped('firewall.conf'),
  apps: shipped('svc-appsd.service'),
}

describe('The unit of an installation', () => {
  test('is the shipped one when nothing else was chosen', () => {
    expect(unitText(UNIT, SHIPPED)).toBe(UNIT)
    expect(additionText(ADDITION, { user: 'svc-apps', group: 'svc-apps' })).toBe(ADDITION)
  })

  test('differs from it in the chosen lines alone', () => {
    const own = { url: 'http://10.0.0.1', user: 'agent', node: '/opt/node', handlers: '/srv/$&' }
    const text = unitText(UNIT, own)
    const differs = text.split('\n').filter((line) => !UNIT.split('\n').includes(line))
    expect(differs).toEqual([
      'User=agent',
      'Environment=SERVICE_URL=http://10.0.0.1',
      expect.stringMatching(/^ExecStart=\/opt\/node --optimize-for-size /),
      expect.stringContaining(' run --handlers /srv/$& --state-dir '),
    ])
  })

  test('cannot be made from a unit that has changed', () => {
    expect(() => unitText(UNIT.replace('User=svc-agent', 'User=other'), SHIPPED)).toThrow('User=svc-agent')
  })

  test('tells which owner of handlers its addition has', () => {
    for (const name of ['svc-apps', 'apps:docker']) {
      const owner = handlerOwner(name)
      expect(ownerIn(additionText(ADDITION, owner))).toEqual(owner)
    }
    expect(ownerIn('')).toBeUndefined()
  })
})

describe('A choice that goes into a unit', () => {
  test.each([
    ['https://svc.example/', 'https://svc.example'],
    ['https://svc.example/plane/', 'https://svc.example/plane'],
    ["http://127.0.0.1:8080/a%20b'c", 'http://127.0.0.1:8080/a%%20b%%27c'],
  ])('is an address as systemd reads it: %s', (given, text) => {
    expect(unitUrl(given)).toBe(text)
  })

  test.each([
    'plane',
    'ftp://svc.example',
    'https://key@svc.example',
    'https://:key@svc.example',
    'https://a/?k=1',
  ])('is no address like %s', (given) => {
    expect(() => unitUrl(given)).toThrow('must')
  })

  test.each(['', 'root', 'Agent', 'a b', 'a\nUser=root', '-a', 'a'.repeat(32), 'a%h'])(
    'is no user like %j',
    (name) => {
      expect(() => userName(name)).toThrow('is no name')
      expect(() => handlerOwner(`apps:${name}`)).toThrow('is no name')
    },
  )

  test.each(['node', '/a b', '/a"b', '/a%b', '/a$b', '/a\nb', ''])('is no path like %j', (path) => {
    expect(() => unitPath(path)).toThrow('absolute path')
    expect(unitPath('/opt/node-24.1/bin/node')).toBe('/opt/node-24.1/bin/node')
  })
})

describe('The files of an installation', () => {
  test('hold the key in one, which is for its owner alone, and show it in none', () => {
    const settings = {
      ...SHIPPED,
      handlerOwner: handlerOwner('svc-apps'),
      firewall: false,
      apps: false,
      packages: false,
      licenseKey: 'the-key',
    }
    const files = installedFiles(settings, PARTS)
    const withKey = files.filter(({ text }) => text.includes('the-key'))
    expect(withKey).toEqual([
      { path: PLACES.key, text: 'the-key\n', mode: 0o600, folderMode: 0o700, shownAs: 'the license key' },
    ])
    expect(files.map(({ path }) => path)).toContain(PLACES.addition)
    const users = files.find(({ path }) => path === PLACES.users)?.text ?? ''
    expect(declaredUsers(users)).toEqual(['svc-agent', 'svc-apps'])
  })

  test('stand where the unit looks for them', () => {
    expect(UNIT).toContain(` ${PLACES.program} run --state-dir ${PLACES.state} `)
    expect(UNIT).toContain(`LoadCredential=key:${PLACES.key}\n`)
  })
})

describe('A placed file', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-placed-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const FILE = { path: '/etc/x/key', mode: 0o600, folderMode: 0o700, text: 'secret\n' }
  const mode = (path: string) => statSync(join(root, path)).mode & 0o777

  test('is written once, with the modes of it and its folder, and no draft beside it', async () => {
    expect([await place(root, FILE), await place(root, FILE)]).toEqual([true, false])
    expect([mode('etc'), mode('etc/x'), mode('etc/x/key')]).toEqual([0o755, 0o700, 0o600])
    expect(readdirSync(join(root, 'etc/x'))).toEqual(['key'])
    expect(await placedText(root, FILE.path)).toBe('secret\n')
  })

  test.each([
    ['another text', () => writeFileSync(join(root, 'etc/x/key'), 'other\n')],
    ['a mode that lets others read', () => chmodSync(join(root, 'etc/x/key'), 0o640)],
    ['an open folder', () => chmodSync(join(root, 'etc/x'), 0o755)],
  ])('is mended after %s', async (_, spoil) => {
    await place(root, FILE)
    spoil()
    expect(await place(root, FILE)).toBe(true)
    expect([mode('etc/x'), mode('etc/x/key')]).toEqual([0o700, 0o600])
    expect(await placedText(root, FILE.path)).toBe('secret\n')
  })

  test('goes with its folder, unless something else is there or the folder is of the system', async () => {
    await place(root, FILE)
    writeFileSync(join(root, 'etc/x/other'), '')
    expect(await removePlaced(root, FILE.path)).toBe(true)
    expect(readdirSync(join(root, 'etc/x'))).toEqual(['other'])
    rmSync(join(root, 'etc/x/other'))
    await place(root, FILE)
    await removePlaced(root, FILE.path, true)
    expect(readdirSync(join(root, 'etc'))).toEqual(['x'])
    await place(root, FILE)
    await removePlaced(root, FILE.path)
    expect(readdirSync(join(root, 'etc'))).toEqual([])
    expect(await removePlaced(root, FILE.path)).toBe(false)
  })
})
