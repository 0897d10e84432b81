import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { generateSigningKey } from '@svc/core'
import { ownFolder } from '@svc/core/adapters'
import { embeddedFolder, testDatabase } from '@svc/testing'
import { jsonHere } from '../support/svc-here.ts'
import { jsonOf, runSvc, SvcProcess } from '../support/svc-process.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

interface Document {
  readonly tables: Readonly<Record<string, number>>
  readonly sha256: string
}

const SERVE = ['serve', '--port', '0', '--tick', '0', '--data-dir', '.svc']
const modeOf = async (name: string) => (await stat(join(cwd, name))).mode & 0o777
const copies = async () => (await readdir(join(cwd, '.svc'))).filter((name) => name.startsWith('copy-'))

async function keysOf(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/.well-known/jwks.json`, { headers: { connection: 'close' } })
  return answer.json()
}

/** A data folder as `svc up` leaves it, with secrets. */
async function keptFolder(): Promise<void> {
  const dataDir = join(cwd, '.svc')
  await ownFolder(dataDir)
  await writeFile(join(dataDir, 'signing-key'), `${generateSigningKey().privateKey}\n`, { mode: 0o600 })
  await writeFile(join(dataDir, 'license-key'), 'a license key of this machine\n', { mode: 0o600 })
}

describe('a folder that is served', () => {
  test('is backed up without a stop, and the backup is restored with its secrets in another folder', async () => {
    await keptFolder()
    await using serve = new SvcProcess(SERVE, { cwd })
    const url = await serve.serving()
    const keys = await keysOf(url)
    expect(keys).toMatchObject({ keys: [{ kty: 'OKP' }] })
    const { license } = await jsonHere<{ license: { id: string } }>(['licenses', 'issue'], { cwd })
    const enqueue = ['jobs', 'enqueue', 'prune', '--license', license.id]
    await jsonHere(enqueue, { cwd })

    // Others write meanwhile.
    const [backup] = await Promise.all([
      jsonHere<Document>(['backup', 'svc.jsonl.gz'], { cwd }),
      jsonHere(enqueue, { cwd }),
    ])
    expect(backup.tables).toMatchObject({ licenses: 1 })
    expect(await modeOf('svc.jsonl.gz')).toBe(0o600)
    expect(await copies()).toEqual([])
    const { jobs } = await jsonHere<{ jobs: unknown[] }>(['jobs', 'list'], { cwd })
    expect(jobs).toHaveLength(2)
    serve.kill('SIGTERM')
    expect(await serve.end()).toBe(0)

    const restored = await jsonHere<Document>(['import', 'svc.jsonl.gz', '--data-dir', 'new'], { cwd })
    expect(restored).toEqual({ ...backup, file: 'svc.jsonl.gz' })
    expect(await readFile(join(cwd, 'new', 'license-key'), 'utf8')).toBe('a license key of this machine\n')
    expect(await modeOf('new/signing-key')).toBe(0o600)
    await using again = new SvcProcess([...SERVE.slice(0, -1), 'new'], { cwd })
    expect(await keysOf(await again.serving())).toEqual(keys)
  }, 120_000)

  test('takes no import, and what a killed command has left is removed by the next start', async () => {
    await ownFolder(join(cwd, '.svc'))
    await ownFolder(join(cwd, '.svc', 'copy-of-a-killed-one'))
    await using serve = new SvcProcess(SERVE, { cwd })
    await serve.serving()
    expect(await copies()).toEqual([])
    await writeFile(join(cwd, 'file'), '')
    const refused = await runSvc(['import', 'file'], { cwd })
    expect(refused).toMatchObject({
      code: 1,
      err: `svc: a service runs with ${join(cwd, '.svc')}: stop it first\n`,
    })
  }, 60_000)
})

test('An export goes through a file or a pipe to PostgreSQL, and the service there knows the license', async () => {
  await using database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const server = { cwd, env: { DATABASE_URL: database.url } }
  const first = new SvcProcess(SERVE, { cwd })
  await first.serving()
  const { license } = await jsonHere<{ license: { id: string } }>(['licenses', 'issue'], { cwd })
  await first[Symbol.asyncDispose]()

  const piped = await runSvc(['export', '-'], { cwd })
  expect(piped).toMatchObject({ code: 0, err: 'Rows: 2.\n' })
  const written = await jsonHere<Document>(['export', 'svc.jsonl.gz', '--data-dir', '.svc'], server)
  expect(gunzipSync(await readFile(join(cwd, 'svc.jsonl.gz'))).toString()).toBe(piped.out)

  const unmigrated = await runSvc(['import', '-'], { ...server, input: piped.out })
  expect(unmigrated).toMatchObject({ code: 1, err: expect.stringContaining('run svc migrate') })
  await jsonHere(['migrate'], server)
  const absent = await runSvc(['import', 'file'], server)
  expect(absent).toMatchObject({
    code: 2,
    err: expect.stringContaining('svc: file cannot be read (ENOENT)\n'),
  })
  const cut = await runSvc(['import', '-'], { ...server, input: piped.out.slice(0, -100) })
  expect(cut).toMatchObject({ code: 2, err: expect.stringContaining('the file is damaged (it is cut)') })
  const taken = await jsonOf<Document>(['import', '-'], { ...server, input: piped.out })
  expect(taken).toMatchObject({ tables: written.tables, sha256: written.sha256 })
  expect(await jsonHere(['licenses', 'list'], server)).toMatchObject({ licenses: [{ id: license.id }] })
  const full = await runSvc(['import', 'svc.jsonl.gz'], server)
  expect(full).toMatchObject({
    code: 1,
    err: expect.stringContaining('the database is not empty (licenses, audit_log)'),
  })

  // A server on PostgreSQL has nothing in its folder to copy.
  await using serve = new SvcProcess([...SERVE.slice(0, -1), 'socket'], server)
  await serve.serving()
  const copied = await runSvc(['export', 'x', '--data-dir', 'socket'], server)
  expect(copied).toMatchObject({ code: 1, err: expect.stringContaining('keeps nothing in its data folder') })
  const backup = await runSvc(['backup', 'x'], server)
  expect(backup).toMatchObject({ code: 2, err: expect.stringContaining('back PostgreSQL up with pg_dump') })
}, 180_000)
