import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Problem } from '@svc/core'
import { type TestDatabase, testDatabase } from '@svc/testing'
import { importDatabase, openStorage } from '../../../../src/sql.ts'
import { FEATURES } from '../../../../src/wiring/features.ts'
import { POSTGRES, SERVER } from '../backends.ts'
import { asked, emptyDatabase, exported, imported, piecesOf } from './export-bench.ts'
import { filledFolder } from './filled-folder.ts'

const CARRIED_TABLES = (await FEATURES.sql()).entities.map(({ meta }) => meta.tableName)

let folder: string
let file: string
let database: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
  file = await exported(await filledFolder(join(folder, 'source')))
  database = await emptyDatabase(SERVER)
}, 120_000)
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function filledTables(): Promise<readonly string[]> {
  const looks = CARRIED_TABLES.map((name) => `select '${name}' as name where exists (select from ${name})`)
  return (await asked<{ name: string }>(database, looks.join(' union all '))).map(({ name }) => name)
}

const triggers = () =>
  asked<{ name: string }>(
    database,
    `select tgname as name from pg_trigger where not tgisinternal and tgenabled <> 'O'`,
  )

const refusal = (text: string): Promise<unknown> => imported(database, text).catch((error: unknown) => error)
const problem = (code: Problem['code'], words: string) =>
  expect.objectContaining({ code, data: { detail: expect.stringContaining(words) } })

const lines = () => file.trimEnd().split('\n')
const withLines = (change: (all: string[]) => string[]) => `${change(lines()).join('\n')}\n`
/** The file without its last row of the table, and with a tail that counts it all the same. */
const withoutRowOf = (table: string) =>
  withLines((all) => all.toSpliced(all.indexOf(JSON.stringify({ table })) + 1, 1))
const headWith = (change: object) =>
  withLines(([head = '', ...rest]) => [JSON.stringify({ ...JSON.parse(head), ...change }), ...rest])

describe(`an import into ${POSTGRES} leaves the database empty`, () => {
  const damaged = (words: string) => problem('invalid-input', `the file is damaged (${words}`)
  const other = (words: string) => problem('conflict', words)
  const foreign = problem('invalid-input', 'no file that svc export')

  test.each<readonly [string, () => string, () => unknown]>([
    ['cut in a row', () => file.slice(0, file.length / 2), () => damaged('it is cut')],
    ['cut by its last byte', () => file.slice(0, -1), () => damaged('it is cut')],
    ['cut before its tail', () => withLines((all) => all.slice(0, -1)), () => damaged('it is cut')],
    ['cut behind its head', () => `${lines()[0]}\n`, () => damaged('it is cut')],
    ['changed by one letter', () => file.replace('"web-1"', '"web-2"'), () => damaged('its digest')],
    [
      'changed to a value that is none',
      () => file.replace('["2026-01-05","12"]', '["2026-01-05","1z"]'),
      () => damaged('a row of chat_model_days cannot be stored'),
    ],
    ['changed to no JSON', () => file.replace('\n["', '\n[["'), () => damaged('a line cannot be read')],
    ['without one row', () => withoutRowOf('audit_log'), () => damaged('the number of its rows')],
    [
      'with one row twice',
      () => withLines((all) => all.toSpliced(-1, 0, all.at(-2) ?? '')),
      () => damaged('a row of rate_windows cannot be stored'),
    ],
    [
      'with a row of another width',
      () => withLines((all) => all.toSpliced(-1, 0, '["x"]')),
      () => damaged('a row has another number of values'),
    ],
    [
      'with tables in another order',
      () => file.replace('{"table":"tenants"}', '{"table":"jobs"}'),
      () => damaged('its tables are in another order'),
    ],
    ['with something behind its end', () => `${file}["x"]\n`, () => damaged('something stands behind')],
    [
      'written with another schema',
      () => headWith({ release: '9.1.0', schema: '0099-later' }),
      () => other('svc 9.1.0 wrote this file with the schema 0099-later, and this is svc '),
    ],
    ['written in another format', () => headWith({ format: 2 }), () => other('import it with a release')],
    ['with other columns', () => headWith({ tables: [] }), () => damaged('its tables are others')],
    ['that is none of ours', () => '{"a":1}\n', () => foreign],
    ['that is empty', () => '', () => damaged('it is cut')],
  ])('from a file %s', async (_, text, expected) => {
    expect(await refusal(text())).toEqual(expected())
    expect(await filledTables()).toEqual([])
    expect(await triggers()).toEqual([])
  })

  test('when the bytes stop coming', async () => {
    async function* broken() {
      yield Buffer.from(file.slice(0, -2000))
      throw new Error('the pipe broke')
    }
    await expect(importDatabase(database, broken())).rejects.toThrow('the pipe broke')
    expect(await filledTables()).toEqual([])
  })

  test('when what goes along cannot be kept', async () => {
    const keep = async () => {
      throw new Error('no room for it')
    }
    await expect(importDatabase(database, piecesOf(file), { keep })).rejects.toThrow('no room for it')
    expect(await filledTables()).toEqual([])
  })
})

describe('an import is refused', () => {
  test('by a database that has a row in any table, which stays as it is', async () => {
    await asked(database, `insert into rate_windows values ('a', 'b', 1, now())`)
    expect(await refusal(file)).toEqual(problem('conflict', 'the database is not empty (rate_windows)'))
    expect(await filledTables()).toEqual(['rate_windows'])
    await asked(database, 'delete from rate_windows')
  })

  test('by a database that is not migrated', async () => {
    await using other = await testDatabase(SERVER)
    const refused = await imported(other, file).catch((error: unknown) => error)
    expect(refused).toEqual(problem('conflict', 'run svc migrate'))
  })

  test('to a role that does not own the tables', async () => {
    const role = `svc_app_${process.pid}`
    await asked(
      database,
      `create role ${role} login password 'app'; grant all on all tables in schema public to ${role}`,
    )
    const url = new URL(database.url)
    ;[url.username, url.password] = [role, 'app']
    try {
      const refused = await imported({ url: url.href }, file).catch((error: unknown) => error)
      expect(refused).toEqual(problem('conflict', 'does not own the tables'))
      // The right to read is enough for an export.
      expect(await exported({ url: url.href })).toContain('{"svc":"export"')
    } finally {
      await asked(database, `drop owned by ${role}; drop role ${role}`)
    }
  })

  test('into a folder that a process has open', async () => {
    const dataDir = join(folder, 'served')
    await using _ = await openStorage({ dataDir })
    const refused = await imported({ dataDir }, file).catch((error: unknown) => error)
    expect(refused).toEqual(problem('conflict', `process ${process.pid} has ${dataDir} open`))
  })
})

test('after all refusals the whole file is taken, and every trigger works', async () => {
  const { rows } = await imported(database, file)
  expect(Object.keys(rows).toSorted()).toEqual(CARRIED_TABLES.toSorted())
  expect(await filledTables()).toHaveLength(CARRIED_TABLES.length)
  expect(await triggers()).toEqual([])
})
