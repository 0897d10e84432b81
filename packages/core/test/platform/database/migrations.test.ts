import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from '@jest/globals'
import { type TestDatabase, testDatabase } from '@svc/testing'
import pg from 'pg'
import { MIGRATIONS } from '../../../src/platform/database/migrations/index.ts'
import {
  checksum,
  compareMigrations,
  migrateDriver,
  migrationStatus,
} from '../../../src/platform/database/migrator.ts'
import { postgresDriver } from '../../../src/platform/database/orm.ts'
import { REQUIRED_TABLES } from '../../../src/platform/storage/storage.ts'
import { migrate, migrationPlan, migrationStatusOf, openStorage } from '../../../src/sql.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const ALL = MIGRATIONS.map(({ name }) => name)
const databases: TestDatabase[] = []

afterEach(async () => {
  for (const database of databases.splice(0)) await database[Symbol.asyncDispose]()
})

async function emptyDatabase(): Promise<string> {
  const database = await testDatabase(SERVER)
  databases.push(database)
  return database.url
}

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows as Row[]
}

const tables = async (url: string) =>
  (
    await query<{ name: string }>(
      url,
      `select table_name as name from information_schema.tables
    where table_schema = 'public' order by 1`,
    )
  ).map(({ name }) => name)

describe(`migrations on ${POSTGRES}`, () => {
  it('an empty database has everything pending, and asking changes nothing', async () => {
    const url = await emptyDatabase()
    expect(await migrationStatusOf(url)).toEqual({ applied: [], pending: ALL, drifted: [] })
    expect(await migrationPlan(url)).toEqual(MIGRATIONS)
    expect(await tables(url)).toEqual([])
  })

  it('migrating applies all, and again does nothing', async () => {
    const url = await emptyDatabase()
    const done = { applied: ALL, pending: [], drifted: [] }
    expect(await migrate(url)).toEqual(done)
    expect(await tables(url)).toEqual(expect.arrayContaining([...REQUIRED_TABLES]))
    expect(await migrationStatusOf(url)).toEqual(done)
    expect(await migrationPlan(url)).toEqual([])
    expect(await migrate(url)).toEqual(done)
  })

  it.each([
    ['a table', 'create table apps (id text)', 'relation "apps" already exists', '0039-apps'],
    [
      'a function',
      "create function svc_job_signal() returns int language sql as 'select 1'",
      'function "svc_job_signal" already exists',
      '0038-signals',
    ],
    [
      'a column',
      'alter table jobs add column sealed_env text',
      'column "sealed_env" of relation "jobs" already exists',
      '0041-sealed-env-of-jobs',
    ],
  ])('%s that only a newer release makes is refused with a way out', async (_, remains, words, step) => {
    const url = await emptyDatabase()
    const steps = MIGRATIONS.filter(({ name }) => name < '0033')
    const driver = await postgresDriver(url, 1)
    try {
      await migrateDriver(driver, steps)
      await query(url, remains)
      const refusal = migrateDriver(driver)
      const detail = expect.stringMatching(`${words}.*: .*into an empty database`)
      await expect(refusal).rejects.toMatchObject({ code: 'conflict', data: { detail } })
      expect((await migrationStatusOf(url)).pending[0]).toBe(step)
    } finally {
      await driver.close()
    }
  })

  it('hooks with a deploy key lend it to their server as before, all others lend nothing', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    const { sql } = MIGRATIONS.find(({ name }) => name === '0034-submodules-of-hooks') ?? { sql: [] }
    await query(url, 'alter table git_hooks drop column submodules')
    for (const kind of ['deploy_key', 'token', 'none'])
      await query(
        url,
        `insert into git_hooks (id, license_id, app, fingerprint, provider, repo_url, branch, paths, paths_ignore,
          enabled, cancel_in_progress, allow_skip, clone_kind)
          values ('${kind}', 'l', '${kind}', 'f', 'generic', 'r', 'main', '[]', '[]', true, false, true, '${kind}')`,
      )
    for (const text of sql) await query(url, text)
    expect(await query(url, 'select id, submodules from git_hooks order by id')).toEqual([
      { id: 'deploy_key', submodules: 'server' },
      { id: 'none', submodules: 'none' },
      { id: 'token', submodules: 'none' },
    ])
  })

  it('a database that had ended jobs before it had rules of retention lets none go by itself', async () => {
    const held = async (state: string) => {
      const url = await emptyDatabase()
      const driver = await postgresDriver(url, 1)
      await migrateDriver(driver, MIGRATIONS.slice(0, ALL.indexOf('0051-retention')))
      await driver.close()
      await query(
        url,
        `insert into jobs (id, license_id, kind, payload, max_attempts, timeout_seconds, state, finished_at)
         values ('job_1', 'lic', 'prune', '{}', 1, 1, '${state}', case when '${state}' = 'failed' then now() end)`,
      )
      await migrate(url)
      return query(url, 'select held, accepted_at from retention')
    }
    expect(await held('failed')).toEqual([{ held: true, accepted_at: null }])
    expect(await held('pending')).toEqual([])
  })

  it('eight processes at once migrate once', async () => {
    const url = await emptyDatabase()
    const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url)))
    for (const result of results) expect(result).toEqual({ applied: ALL, pending: [], drifted: [] })
    expect(await query(url, 'select name from migrations order by id')).toEqual(ALL.map((name) => ({ name })))
    expect(await query(url, 'select name from migration_checksums order by name')).toHaveLength(ALL.length)
  })

  it('storage on a database that is not migrated says what is missing', async () => {
    await using storage = await openStorage({ url: await emptyDatabase() })
    const health = await storage.health()
    expect(health.missingTables).toEqual(REQUIRED_TABLES)
    expect(health.migrations).toEqual({ applied: [], pending: ALL, drifted: [] })
  })

  it('an edited migration is drift: it is named, and migrating is refused', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await query(url, `update migration_checksums set checksum = 'edited' where name = '${ALL[0]}'`)
    expect(await migrationStatusOf(url)).toMatchObject({ pending: [], drifted: [ALL[0]] })
    const detail = `the database has drifted: ${ALL[0]} was applied with another text than this release has`
    await expect(migrate(url)).rejects.toMatchObject({ code: 'conflict', data: { detail } })
  })

  it.each(['migrations', 'migration_checksums'])(
    'a migration that %s alone does not know of is pending, and migrating is refused with what to do',
    async (table) => {
      const url = await emptyDatabase()
      await migrate(url)
      await query(url, `delete from ${table} where name = '${ALL[0]}'`)
      expect(await migrationStatusOf(url)).toEqual({
        applied: ALL.slice(1),
        pending: ALL.slice(0, 1),
        drifted: [],
      })
      await using storage = await openStorage({ url })
      expect((await storage.health()).migrations.pending).toEqual(ALL.slice(0, 1))
      const tables = 'migrations and migration_checksums'
      const detail = `${ALL[0]} stands in one of the tables ${tables} only; restore both from one backup`
      await expect(migrate(url)).rejects.toMatchObject({ code: 'conflict', data: { detail } })
    },
  )

  it('without the table of the runner everything is pending', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await query(url, 'drop table migrations')
    expect(await migrationStatusOf(url)).toEqual({ applied: [], pending: ALL, drifted: [] })
  })

  it('a database ahead of this release is refused, and told apart from a drifted one', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await query(url, `insert into migration_checksums (name, checksum) values ('9999-later', 'x')`)
    const detail = 'the database is ahead of this release (9999-later); run a newer one'
    await expect(migrate(url)).rejects.toMatchObject({ code: 'conflict', data: { detail } })
    await using storage = await openStorage({ url })
    expect((await storage.health()).migrations).toEqual({
      applied: ALL,
      pending: [],
      drifted: [],
      ahead: ['9999-later'],
    })
  })

  it('a step that fails leaves nothing of itself, and those before it stay', async () => {
    const url = await emptyDatabase()
    const driver = await postgresDriver(url, 1)
    const good = { name: '0001-good', sql: ['create table good (id int)'] }
    const bad = { name: '0002-bad', sql: ['create table bad (id int)', 'select 1 / 0'] }
    const fixed = { name: '0002-bad', sql: ['create table bad (id int)'] }
    try {
      await expect(migrateDriver(driver, [good, bad])).rejects.toThrow('division by zero')
      expect(await migrationStatus(driver, [good, bad])).toEqual({
        applied: [good.name],
        pending: [bad.name],
        drifted: [],
      })
      expect(await tables(url)).not.toContain('bad')
      expect((await migrateDriver(driver, [good, fixed])).applied).toEqual([good.name, fixed.name])
    } finally {
      await driver.close()
    }
  })

  it('names the password nowhere when the server is not there', async () => {
    const url = 'postgres://svc:hunter2-secret@127.0.0.1:9/svc'
    const refused = await migrate(url).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'unavailable' })
    expect(inspect(refused, { depth: 10 })).not.toContain('hunter2')
  })
})

describe('comparing migrations', () => {
  const [one, two] = [
    { name: '0001-one', sql: ['a'] },
    { name: '0002-two', sql: ['b'] },
  ]

  it('tells applied, pending, edited and unknown apart', () => {
    const recorded = new Map([
      ['0000-unknown', 'x'],
      ['0001-one', checksum(one)],
    ])
    expect(compareMigrations(recorded, [one, two])).toEqual({
      applied: ['0001-one'],
      pending: ['0002-two'],
      drifted: ['0000-unknown'],
    })
    const edited = { ...one, sql: ['a '] }
    expect(compareMigrations(recorded, [edited]).drifted).toEqual(['0000-unknown', '0001-one'])
  })

  it('unknown and newer than the newest is ahead, not drifted', () => {
    const recorded = new Map([
      ['0001-one', checksum(one)],
      ['0002-two', checksum(two)],
      ['0003-three', 'x'],
    ])
    const both = { applied: ['0001-one', '0002-two'], pending: [], drifted: [], ahead: ['0003-three'] }
    expect(compareMigrations(recorded, [one, two])).toEqual(both)
    // A recorded migration between two known ones belongs to another line of releases.
    const third = { name: '0004-four', sql: ['d'] }
    expect(compareMigrations(recorded, [one, two, third])).toMatchObject({ drifted: ['0003-three'] })
  })

  it('names are unique and stand in their order', () => {
    expect(ALL).toEqual([...new Set(ALL)].sort())
  })
})
