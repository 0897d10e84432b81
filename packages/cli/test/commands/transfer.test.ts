import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStorage } from '@svc/core/sql'
import { embeddedFolder } from '@svc/testing'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import '../../../../test/support/standard-input.ts'
import { runProgram } from '../../src/commands/program.ts'

let cwd: string

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
  await embeddedFolder(join(cwd, '.svc'))
  await using storage = await openStorage({ dataDir: join(cwd, '.svc') })
  await storage.tenants.add({ id: 'ten_1', name: 'acme' })
}, 60_000)
afterAll(() => rm(cwd, { recursive: true, force: true }))

async function run(...args: readonly string[]): Promise<RecordingIo> {
  const io = new RecordingIo({ args, cwd })
  await runProgram(io)
  return io
}

test('a file that is there is not replaced unasked, and nothing unfinished stays', async () => {
  await writeFile(join(cwd, 'kept'), 'precious')
  const refused = await run('export', 'kept')
  expect([refused.exitCode, refused.err.text]).toEqual([
    1,
    `svc: ${join(cwd, 'kept')} exists already: name another file, or replace it with --force\n`,
  ])
  expect(await readFile(join(cwd, 'kept'), 'utf8')).toBe('precious')
  const forced = await run('export', 'kept', '--force')
  expect([forced.exitCode, forced.out.text]).toEqual([0, 'TABLE    ROWS\ntenants  1\n'])
  expect((await readFile(join(cwd, 'kept'), 'utf8')).split('\n')[2]).toContain('["ten_1","acme",')
  expect((await readdir(cwd)).filter((name) => name.includes('part'))).toEqual([])
}, 60_000)

test('Ctrl-C ends an export with code 130, and leaves no file', async () => {
  const io = new RecordingIo({ args: ['export', 'stopped'], cwd })
  const stop = io.onStop
  io.onStop = (listener) => {
    const undo = stop.call(io, listener)
    io.signal('SIGINT')
    return undo
  }
  await runProgram(io)
  expect([io.exitCode, io.err.text]).toEqual([130, 'svc: interrupted\n'])
  expect((await readdir(cwd)).filter((name) => name.startsWith('stopped'))).toEqual([])
}, 60_000)

test.each<readonly [args: readonly string[], sentence: string]>([
  [['export', '-', '--json'], 'the export is all that standard output can take'],
  [['export', 'x', '--data-dir', 'nowhere'], 'there is no data folder'],
])('%j is refused: %s', async (args, sentence) => {
  const io = await run(...args)
  expect([io.exitCode, io.err.text]).toEqual([expect.any(Number), expect.stringContaining(sentence)])
  expect(io.exitCode).not.toBe(0)
})

test('an operator far away is told to run it where the database is', async () => {
  const io = new RecordingIo({
    args: ['export', 'x'],
    cwd: tmpdir(),
    env: { SERVICE_URL: 'https://svc.example' },
  })
  await runProgram(io)
  expect([io.exitCode, io.err.text]).toEqual([
    2,
    expect.stringContaining('not over https://svc.example: name it with --data-dir'),
  ])
})

test('a backup keeps only secrets that svc knows, and never over another one', async () => {
  const backup = await run('export', 'rows')
  expect(backup.exitCode).toBe(0)
  const [head = '', ...rest] = (await readFile(join(cwd, 'rows'), 'utf8')).split('\n')
  const withFile = async (file: string) => {
    const lines = [head, JSON.stringify({ file, text: 'secret' }), ...rest].slice(0, -2)
    const { createHash } = await import('node:crypto')
    const sha256 = createHash('sha256')
      .update(`${lines.join('\n')}\n`)
      .digest('hex')
    const { end } = JSON.parse(rest.at(-2) ?? '')
    await writeFile(
      join(cwd, file.replaceAll(/\W/g, '_')),
      `${lines.join('\n')}\n${JSON.stringify({ end: { ...end, sha256 } })}\n`,
    )
  }
  await withFile('../outside')
  const outside = await run('import', '___outside', '--data-dir', 'target')
  expect([outside.exitCode, outside.err.text]).toEqual([2, 'svc: the file holds an unknown ../outside\n'])
  await withFile('signing-key')
  await writeFile(join(cwd, 'target', 'signing-key'), 'another\n')
  const other = await run('import', 'signing_key', '--data-dir', 'target')
  expect(other.exitCode).toBe(1)
  await rm(join(cwd, 'target', 'signing-key'))
  const taken = await run('import', 'signing_key', '--data-dir', 'target')
  expect([taken.exitCode, taken.err.text]).toEqual([0, expect.stringContaining('Kept in')])
  expect(await readFile(join(cwd, 'target', 'signing-key'), 'utf8')).toBe('secret\n')
}, 120_000)
