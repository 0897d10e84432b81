import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { firstIdAt } from '../../../src/kernel/ids.ts'
import { ArchiveFolder } from '../../../src/platform/archive/archive-folder.ts'
import { pruneAudit } from '../../../src/sql.ts'
import { POSTGRES, SERVER } from './backends.ts'

const DAY_MS = 86_400_000
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS)

let database: TestDatabase
let client: pg.Client
let dir: string
let folder: ArchiveFolder
beforeEach(async () => {
  database = await migratedDatabase(SERVER)
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  dir = await mkdtemp(join(tmpdir(), 'svc-audit-'))
  folder = new ArchiveFolder(dir)
  await folder.begin('audit')
})
afterEach(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

async function entry(days: number, input: object = {}): Promise<string> {
  const id = firstIdAt('aud', ago(days))
  const row = [id, ago(days), JSON.stringify(input)]
  await client.query(
    "insert into audit_log (id, at, actor, operation, input, outcome) values ($1, $2, 'ann', 'jobs.cancel', $3, 'ok')",
    row,
  )
  return id
}
const left = async () =>
  (
    await client.query<{ id: string }>(
      "select id from audit_log where operation <> 'audit.prune' order by id",
    )
  ).rows.map(({ id }) => id)
const prune = (days: number, more: Partial<Parameters<typeof pruneAudit>[1]> = {}) =>
  pruneAudit(
    { url: database.url },
    { before: ago(days), folder, actor: 'cli:ann@desk', isDry: false, ...more },
  )

describe(`pruning the audit log on ${POSTGRES}`, () => {
  it('old entries are in the archive, and a new one says which went', async () => {
    const old = [await entry(200, { job: 'a "x"' }), await entry(199), await entry(101)]
    const kept = [await entry(99), await entry(0)]
    const pruned = await prune(100)
    expect(await left()).toEqual(kept)
    expect(pruned).toMatchObject({ rows: 3, first: expect.any(Date), last: expect.any(Date) })
    const names = (await readdir(dir)).filter((name) => name.endsWith('.gz')).sort()
    expect(names.map((name) => name.slice(0, 10))).toEqual(
      [200, 199, 101].map((days) => ago(days).toISOString().slice(0, 10)),
    )
    const text = (await Promise.all(names.map((name) => readFile(join(dir, name))))).map((data) =>
      gunzipSync(data),
    )
    expect(createHash('sha256').update(Buffer.concat(text)).digest('hex')).toBe(pruned.sha256)
    const lines = Buffer.concat(text).toString().split('\n').slice(0, -1)
    expect(lines.map((line) => JSON.parse(line).of)).toEqual(old)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      of: old[0],
      at: expect.any(String),
      actor: 'ann',
      operation: 'jobs.cancel',
      input: { job: 'a "x"' },
      outcome: 'ok',
    })
    const { rows } = await client.query(
      "select actor, input, outcome from audit_log where operation = 'audit.prune'",
    )
    expect(rows).toEqual([
      {
        actor: 'cli:ann@desk',
        outcome: 'ok',
        input: expect.objectContaining({ rows: 3, sha256: pruned.sha256, archive: dir }),
      },
    ])
  })

  it('nothing of the last 90 days goes, and a dry run counts', async () => {
    await entry(100)
    await expect(prune(89.9)).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await prune(90, { isDry: true })).toMatchObject({ rows: 1, sha256: undefined })
    expect(await left()).toHaveLength(1)
    expect((await readdir(dir)).filter((name) => name.endsWith('.gz'))).toEqual([])
    expect(await prune(365)).toEqual({ rows: 0, first: undefined, last: undefined, sha256: undefined })
  })

  it('more than a page goes, and the progress is told', async () => {
    await client.query(
      `insert into audit_log (id, at, actor, operation, input, outcome)
       select 'aud_' || lpad(n::text, 26, '0'), now() - interval '100 days', 'ann', 'x.y', '{}', 'ok'
       from generate_series(1, 2500) n`,
    )
    const told: number[] = []
    expect(
      await prune(95, {
        onRows: (rows) => {
          told.push(rows)
        },
      }),
    ).toMatchObject({ rows: 2500 })
    expect([told, await left()]).toEqual([[1000, 2000, 2500], []])
  })

  it('nothing goes when entries changed meanwhile, or when the archive fails', async () => {
    const old = await entry(100)
    let added = ''
    const late = prune(95, {
      onRows: async () => {
        added = firstIdAt('aud', ago(150))
        await client.query(
          "insert into audit_log (id, at, actor, operation, input, outcome) values ($1, $2, 'ann', 'x.y', '{}', 'ok')",
          [added, ago(150)],
        )
      },
    })
    await expect(late).rejects.toMatchObject({ code: 'conflict' })
    expect(await left()).toEqual([added, old])
    const gone = new ArchiveFolder(join(dir, 'nowhere'))
    await expect(prune(95, { folder: gone })).rejects.toThrow()
    expect(await left()).toHaveLength(2)
  })
})
