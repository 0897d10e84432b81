import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildHeartbeat, FakeClock, type TestDatabase, testPlane } from '@svc/testing'
import { pgliteDriver } from '../../../../src/platform/database/orm.ts'
import { openStorage } from '../../../../src/sql.ts'
import { FEATURES } from '../../../../src/wiring/features.ts'
import { POSTGRES, SERVER } from '../backends.ts'
import { asked, emptyDatabase, exported, imported } from './export-bench.ts'
import { AWKWARD, type FilledFolder, filledFolder, HOST, LONG_LEASE } from './filled-folder.ts'

const CARRIED_TABLES = (await FEATURES.sql()).entities.map(({ meta }) => meta.tableName)

let folder: string
let source: FilledFolder
let file: string
let database: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
  source = await filledFolder(join(folder, 'source'))
  file = await exported(source)
  database = await emptyDatabase(SERVER)
  await imported(database, file)
}, 120_000)
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The tables that note applied migrations: an import goes into a migrated database. */
const NOTES = ['migration_checksums', 'migrations']

describe('the carried tables', () => {
  test('are all tables of the schema but those that note migrations', async () => {
    const found = await asked<{ name: string }>(
      database,
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
    )
    expect(found.map(({ name }) => name).toSorted()).toEqual([...CARRIED_TABLES, ...NOTES].toSorted())
  })

  test('stand behind the tables that they refer to', async () => {
    const references = await asked<{ from: never; to: never }>(
      database,
      `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
       where contype = 'f' and conrelid <> confrelid`,
    )
    expect(references.length).toBeGreaterThan(5)
    const placeOf = (table: string) => file.indexOf(`{"table":"${table}"}`)
    for (const { from, to } of references) {
      expect([to, placeOf(to) < placeOf(from)]).toEqual([to, true])
    }
  })

  test('have a key, and number nothing by a sequence, which an import would have to set', async () => {
    const counted = await asked<{ table: string }>(
      database,
      `select a.attrelid::regclass::text as table from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0
         and (a.attidentity <> '' or pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) is not null)`,
    )
    expect(counted).toEqual([{ table: 'migrations' }])
    const keyless = await asked(
      database,
      `select from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace
         and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
    )
    expect(keyless).toEqual([])
  })
})

const sorted = (rows: readonly { text: string }[]) => rows.map(({ text }) => text).toSorted()

describe(`from a folder to ${POSTGRES} and back`, () => {
  test('every table has rows, and every row is the same text in both databases', async () => {
    const driver = await pgliteDriver({ dataDir: join(source.dataDir, 'database') })
    try {
      await driver.probe(`set timezone = 'UTC'`)
      for (const table of CARRIED_TABLES) {
        const select = `select t::text as text from ${table} t`
        const rows = sorted(await driver.probe<{ text: string }>(select))
        expect([table, rows.length > 0]).toEqual([table, true])
        expect([table, sorted(await asked(database, select))]).toEqual([table, rows])
      }
    } finally {
      await driver.close()
    }
  }, 60_000)

  test('equal data gives the same bytes: on the server, and in a second folder', async () => {
    expect(await exported(database)).toBe(file)
    const back = { dataDir: join(folder, 'back') }
    await imported(back, file)
    expect(await exported(back)).toBe(file)
  }, 60_000)

  test('an export of unchanged data is the same whatever the settings of the server are', async () => {
    const [{ name = '' } = {}] = await asked<{ name: string }>(database, 'select current_database() as name')
    const settings = { timezone: 'Asia/Tokyo', datestyle: 'German', bytea_output: 'escape' }
    for (const [key, value] of Object.entries(settings)) {
      await asked(database, `alter database ${name} set ${key} = '${value}'`)
    }
    expect(await exported(database)).toBe(file)
    for (const key of Object.keys(settings)) await asked(database, `alter database ${name} reset ${key}`)
  }, 60_000)
})

test('the service goes on from what was imported', async () => {
  const storage = await openStorage({ url: database.url })
  await using open = testPlane({ storage, clock: new FakeClock(new Date()), env: LONG_LEASE })
  const { plane, clock } = open
  clock.advance({ minutes: 5 })
  const license = await plane.licenses.byKey(source.key)
  expect(license).toMatchObject({ id: source.licenseId, label: AWKWARD, status: 'active' })
  const caller = await plane.sessions.authenticate(source.cookie)
  expect(caller).toMatchObject({ user: { email: 'ada@svc.example' } })

  const owner = { licenseId: source.licenseId, fingerprint: HOST.fingerprint }
  const heartbeat = buildHeartbeat({ ...owner, hostname: HOST.hostname })
  await plane.agents.heartbeat({ ...heartbeat, jobs: [] })
  expect(await plane.agents.servers(source.licenseId)).toMatchObject([{ hostname: HOST.hostname }])

  const claim = async () => (await plane.jobs.claim({ ...owner, claimKey: undefined })).job?.id
  expect(await claim()).toBe(source.urgent)
  // The key of the first job holds the second back until the first has ended.
  expect(await claim()).toBeUndefined()
  const log = {
    ...owner,
    jobId: source.held,
    attempt: undefined,
    offset: undefined,
    idempotencyKey: undefined,
  }
  await plane.jobs.appendLogs({ ...log, lines: [{ ts: 2, line: 'on the server' }] })
  const lines = await plane.jobs.logs(source.held, 0, 1000)
  expect([lines.at(0)?.line, lines.at(-1)?.line, lines.length]).toEqual([AWKWARD, 'on the server', 202])
  const report = { ...owner, attempt: undefined, exitCode: 0, error: undefined }
  await plane.jobs.report({ ...report, jobId: source.held, state: 'succeeded' })
  expect(await claim()).toBe(source.behind)

  const next = await plane.jobs.enqueue({ licenseId: source.licenseId, kind: 'prune', payload: {} })
  expect(next.job.id > source.urgent).toBe(true)
  await plane.chat.reply(source.conversation, 'from the server')
  await plane.operations.run('tenants.add', { name: 'globex' }, 'ann')
}, 60_000)
