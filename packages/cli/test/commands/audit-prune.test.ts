import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStorage } from '@svc/core/sql'
import { CliBench } from '../support/cli-bench.ts'

const OLD = new Date(Date.now() - 100 * 86_400_000)

let bench: CliBench
let parent: string
let dataDir: string
let archive: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'svc-audit-'))
  dataDir = join(parent, 'data')
  archive = join(parent, 'archive')
  bench = await CliBench.open()
  await using storage = await openStorage({ dataDir })
  const row = { actor: 'ann', operation: 'jobs.cancel', input: {}, outcome: 'ok' }
  await storage.audit.add({ id: 'aud_00000000000000000000000001', ...row }, OLD)
  await storage.audit.add({ id: 'aud_00000000000000000000000002', ...row })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await rm(parent, { recursive: true })
})

const prune = (before: Date, ...words: readonly string[]) =>
  bench.run(
    ...['audit', 'prune', '--before', before.toISOString(), '--archive', archive],
    ...['--data-dir', dataDir, ...words],
  )
const later = (days: number) => new Date(OLD.getTime() + days * 86_400_000)

test('a time that is too late is refused before a folder is made, and a dry run makes none', async () => {
  const late = await prune(later(50))
  expect([late.exitCode, late.err.text]).toEqual([2, expect.stringContaining('at least 90 days ago')])
  const dry = await prune(later(5), '--dry-run')
  expect([dry.exitCode, dry.out.text]).toEqual([0, expect.stringMatching(/^entries +1$/m)])
  expect(existsSync(archive)).toBe(false)
})

test('old entries go to the archive, which verifies, and nothing is left for the next time', async () => {
  const pruned = await prune(later(5), '--json')
  expect(pruned.document).toMatchObject({ rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const verified = await bench.run('retention', 'verify', archive)
  expect([verified.exitCode, verified.out.text]).toEqual([0, expect.stringMatching(/\.audit\.\w+ +1 /)])
  expect((await prune(later(5), '--json')).document).toMatchObject({ rows: 0 })
  await using storage = await openStorage({ dataDir })
  const left = await storage.audit.list(9)
  expect(left.map(({ operation }) => operation)).toEqual(['audit.prune', 'jobs.cancel'])
})

test('a folder without a database is named', async () => {
  const { exitCode, err } = await bench.run(
    ...['audit', 'prune', '--before', later(5).toISOString(), '--archive', archive],
    ...['--data-dir', join(parent, 'nothing')],
  )
  expect([exitCode, err.text]).toEqual([expect.any(Number), expect.stringContaining('holds no database')])
  expect(exitCode).not.toBe(0)
})
