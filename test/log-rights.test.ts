// The role of the service works with the logs as a whole: their months belong to the owner, whose functions
// make them and let them go.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { firstIdAt } from '@svc/core/ports'
import { migrate, openStorage } from '@svc/core/sql'
import { testPlane } from '@svc/testing'
import pg from 'pg'
import { DebianPostgres, debianVersions } from './support/debian-postgres.ts'
import { OwnPostgres } from './support/own-postgres.ts'
import { runScript, type TwoRoles, twoRoles } from './support/two-roles.ts'

const DENIED = { code: '42501' }
/** Statements on all logs that the owner alone may run; PART: the name of a month. */
const ON_ALL = [
  'truncate job_log_chunks',
  'drop table job_log_chunks',
  'alter table job_log_chunks detach partition PART',
  "create table mine partition of job_log_chunks for values from ('x') to ('y')",
  'drop function svc_drop_partition',
  'alter function svc_make_partition security invoker',
]
/** Statements on a part that the owner alone may run. */
const ON_PART = [
  'select from PART',
  "insert into PART values ('job_1', 1, 1, 1, 1, 1, 1, 1, '')",
  'update PART set attempt = 2',
  'delete from PART',
  'truncate PART',
  'drop table PART',
  'create index on PART (at)',
]

async function asked<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text).finally(() => client.end())
  return rows as Row[]
}

const partsOf = async ({ owner }: TwoRoles) =>
  (await asked<{ part: string }>(owner, 'select part::text from svc_log_parts()')).map(({ part }) => part)

/** Lets the database be older: it has a month that is long over, and lacks the next one. */
async function age({ owner }: TwoRoles, next: string): Promise<void> {
  const [old, until] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')]
  await runScript(
    owner,
    `drop table job_log_chunks_before;
drop table ${next};
create table job_log_chunks_2026_01 partition of job_log_chunks
  for values from ('${firstIdAt('job', old)}') to ('${firstIdAt('job', until)}');
revoke all on job_log_chunks_2026_01 from svc_app;
`,
  )
}

/** The check of the retention, as the service's role has it. */
async function finding({ app }: TwoRoles): Promise<string> {
  await using faked = testPlane({ storage: await openStorage({ url: app }) })
  const { checks } = await faked.plane.systemCheck.run()
  const found = checks.find(({ name }) => name === 'retention')
  return `${found?.status} ${found?.detail ?? ''}`.trim()
}

async function refusesAll({ app }: TwoRoles, parts: readonly string[], statements: readonly string[]) {
  for (const part of parts)
    for (const statement of statements) {
      const text = statement.replaceAll('PART', part)
      await expect([text, await runScript(app, text).catch((error) => error)]).toMatchObject([text, DENIED])
    }
}

/** The service makes the month that is missing and lets the old one go, without a right on either. */
async function monthsComeAndGo(roles: TwoRoles): Promise<void> {
  const [, next = ''] = await partsOf(roles)
  await age(roles, next)
  await using storage = await openStorage({ url: roles.app })
  await storage.retention.makeLogMonths()
  await storage.retention.dropLogMonths(new Date(), true)
  const parts = await partsOf(roles)
  expect(parts).not.toContain('job_log_chunks_2026_01')
  expect(parts).toContain(next)
  const owners = await asked(
    roles.owner,
    `select distinct tableowner as name from pg_tables where tablename ~ '^job_log_chunks'`,
  )
  expect(owners).toEqual([{ name: 'svc_owner' }])
  await refusesAll(roles, [next], ON_PART)
}

describe('the role of the service', () => {
  let postgres: OwnPostgres
  let roles: TwoRoles
  beforeAll(async () => {
    postgres = await OwnPostgres.open()
    roles = await twoRoles(postgres.url)
    await migrate(roles.owner)
  }, 60_000)
  afterAll(() => postgres[Symbol.asyncDispose]())

  test('may add, read and delete lines, and do nothing else to the logs or to a part of them', async () => {
    const parts = await partsOf(roles)
    expect(parts).toHaveLength(4)
    await refusesAll(roles, parts, ON_PART)
    await refusesAll(roles, parts.slice(1, 2), ON_ALL)
    await runScript(
      roles.app,
      `insert into job_log_chunks values ('job_1', 1, 1, 1, 1, 1, 1, 1, '');
delete from job_log_chunks where job_id = 'job_1';
`,
    )
    expect(await finding(roles)).toBe('ok')
  })

  test('is told of a right on a part that it lacks on the whole', async () => {
    const [, next] = await partsOf(roles)
    await runScript(roles.owner, `grant truncate on ${next} to svc_app`)
    expect(await finding(roles)).toBe('warn log-rights')
    await runScript(roles.owner, `revoke truncate on ${next} from svc_app`)
    expect(await finding(roles)).toBe('ok')
  })

  test('has months made and dropped for it, and a role without rights on the logs has not', async () => {
    await monthsComeAndGo(roles)
    await runScript(postgres.url, "create role nobody login password 'nobody'")
    const nobody = Object.assign(new URL(roles.app), { username: 'nobody', password: 'nobody' }).href
    await runScript(
      Object.assign(new URL(postgres.url), { pathname: '/svc' }).href,
      'grant usage on schema public to nobody',
    )
    for (const call of ["svc_make_partition('2030-01-01')", 'svc_drop_partition(now(), true)'])
      await expect(runScript(nobody, `select ${call}`)).rejects.toMatchObject(DENIED)
  })

  test('keeps the rights that it had before there were months, and those that were taken from it', async () => {
    const [from] = await asked<{ text: string }>(
      roles.owner,
      "select string_agg(privilege_type, ' ' order by privilege_type) as text from information_schema.role_table_grants where table_name = 'job_log_chunks' and grantee = 'svc_app'",
    )
    expect(from?.text).toBe('DELETE INSERT SELECT UPDATE')
  })
})

const [version] = debianVersions()
const suite = version === undefined ? describe.skip : describe

suite(`the role of the service after a restore (PostgreSQL ${version ?? 'of Debian, which is not here'})`, () => {
  let postgres: DebianPostgres
  const folder = mkdtempSync(join(tmpdir(), 'svc-log-rights-'))
  beforeAll(async () => {
    postgres = await DebianPostgres.open(version ?? '')
  }, 60_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await postgres[Symbol.asyncDispose]()
  })

  test('has no right that it lacked before, and its months come and go', async () => {
    const roles = await twoRoles(postgres.url)
    await migrate(roles.owner)
    const dump = join(folder, 'svc.dump')
    const program = (name: string) => `/usr/lib/postgresql/${version}/bin/${name}`
    execFileSync(program('pg_dump'), ['--format=custom', `--file=${dump}`, roles.owner])
    execFileSync(program('pg_restore'), [
      '--clean',
      '--if-exists',
      '--no-owner',
      `--dbname=${roles.owner}`,
      dump,
    ])
    const parts = await partsOf(roles)
    expect(parts).toHaveLength(4)
    await refusesAll(
      roles,
      parts,
      ON_PART.filter((each) => !/^(select|insert|update|delete)/.test(each)),
    )
    await refusesAll(roles, parts.slice(1, 2), ON_ALL)
    expect(await finding(roles)).toBe('ok')
    await runScript(roles.owner, 'revoke update on job_log_chunks from svc_app')
    expect(await finding(roles)).toBe('warn log-rights')
    for (const part of parts) await runScript(roles.owner, `revoke all on ${part} from svc_app`)
    expect(await finding(roles)).toBe('ok')
    await monthsComeAndGo(roles)
  }, 60_000)
})
