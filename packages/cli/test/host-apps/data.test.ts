import { createHash, createHmac } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { DatabasesFile } from '../../src/host-apps/data/databases-file.ts'
import { Dumps } from '../../src/host-apps/data/dumps.ts'
import { newPassword, scramVerifier } from '../../src/host-apps/data/scram.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-data-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('The verifier of a password proves the exchange that RFC 7677 prints', () => {
  const nonce = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
  const salt = 'W22ZaJ0SNY7soEsUEjb6gQ=='
  const message = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${nonce},s=${salt},i=4096,c=biws,r=${nonce}`
  const proof = Buffer.from('dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=', 'base64')
  const verifier = scramVerifier('pencil', Buffer.from(salt, 'base64'))
  const [, stored = '', server = ''] = /^SCRAM-SHA-256\$4096:\S+\$(\S+):(\S+)$/.exec(verifier) ?? []
  const signed = (key: string) => createHmac('sha256', Buffer.from(key, 'base64')).update(message).digest()
  const clientKey = signed(stored).map((byte, index) => byte ^ (proof[index] ?? 0))
  expect(createHash('sha256').update(clientKey).digest('base64')).toBe(stored)
  expect(signed(server).toString('base64')).toBe('6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')
  expect(scramVerifier('pencil')).not.toBe(scramVerifier('pencil'))
  expect(newPassword()).toMatch(/^[\w-]{43}$/)
})

test('A dump is there whole or not at all, the newest first, and for 7 days', async () => {
  const dumps = new Dumps(folder)
  const day = (n: number) => new Date(Date.UTC(2026, 10, n, 12))
  const write = (n: number, why: string, text: string) =>
    dumps.write('shop', why, day(n), async (to) => {
      writeSync(to, text)
    })
  expect(await write(1, 'backup', 'first')).toMatchObject({ name: '20261101T120000Z-backup', bytes: 5 })
  await write(3, 'before', 'second')
  const broken = dumps.write('shop', 'backup', day(4), async (to) => {
    writeSync(to, 'half')
    throw new Error('the disk is full')
  })
  await expect(broken).rejects.toThrow('the disk is full')
  expect(readdirSync(join(folder, 'shop'))).toHaveLength(2)
  const [newest] = dumps.list('shop')
  expect(newest?.name).toBe('20261103T120000Z-before')
  expect(statSync(newest?.path ?? '').mode & 0o777).toBe(0o600)
  writeFileSync(join(folder, 'shop', '20261103T120000Z-backup.part'), 'a killed supervisor left it')
  dumps.expire(day(8))
  expect(readdirSync(join(folder, 'shop'))).toEqual(['20261101T120000Z-backup', '20261103T120000Z-before'])
  dumps.expire(new Date(day(8).getTime() + 1))
  expect(dumps.list('shop').map(({ name }) => name)).toEqual(['20261103T120000Z-before'])
  expect(dumps.list('none')).toEqual([])
})

test('The record of databases is for its owner alone, and one that cannot be read is no empty one', async () => {
  const file = await DatabasesFile.open(folder)
  const database = { engine: 'postgres' as const, password: 'word', links: [], ready: true }
  await file.put('shop', database)
  await file.put('blog', { ...database, next: 'other' })
  await file.put('shop', undefined)
  const path = join(folder, 'databases.json')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect((await DatabasesFile.open(folder)).all).toEqual([['blog', { ...database, next: 'other' }]])
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9))
  await expect(DatabasesFile.open(folder)).rejects.toThrow('cannot be read')
  expect(existsSync(path)).toBe(true)
})
