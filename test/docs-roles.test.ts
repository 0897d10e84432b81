import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { migrate, openStorage } from '@svc/core/sql'
import { testPlane } from '@svc/testing'
import { blockOf } from './docs/page.ts'
import { OwnPostgres } from './support/own-postgres.ts'
import { runScript, twoRoles } from './support/two-roles.ts'

describe('the roles of docs/deployment.md', () => {
  let postgres: OwnPostgres
  let owner = ''
  let app = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.open()
    ;({ owner, app } = await twoRoles(postgres.url))
  }, 60_000)
  afterAll(() => postgres[Symbol.asyncDispose]())

  test('let the owner migrate and the service work, with the rights that the page gives and no more', async () => {
    await expect(migrate(app)).rejects.toThrow(/permission denied/)
    expect((await migrate(owner)).pending).toEqual([])
    await runScript(owner, blockOf('docs/deployment.md', 'revoke update, delete on audit_log'))

    await using faked = testPlane({
      storage: await openStorage({ url: app }),
      env: { SERVICE_RATE_LIMIT_BACKEND: 'postgres' },
    })
    const { plane } = faked
    const actor = 'cli:ada@machine'
    const { id, key } = await faked.license()
    await plane.operations.run('tenants.add', { name: 'acme' }, actor)
    await plane.operations.run('users.add', { email: 'ada@svc.example', role: 'viewer' }, actor)
    await plane.operations.run('sessions.mint', { email: 'ada@svc.example' }, actor)
    await plane.operations.run('jobs.enqueue', { license: id, kind: 'prune' }, actor)
    expect(await plane.storage.audit.list(10)).toHaveLength(4)
    expect((await plane.licenses.byKey(key))?.id).toBe(id)
    const heartbeats = { name: 'heartbeat', limit: 30, windowSeconds: 60 }
    expect((await plane.limits.takeByLicense(heartbeats, id)).allowed).toBe(true)
    await plane.jobs.sweep()
    await plane.scheduler.tick()
    expect((await plane.health.ready()).checks).toMatchObject({
      database: { status: 'pass' },
      tables: { status: 'pass' },
      migrations: { status: 'pass' },
    })
  }, 60_000)

  test('a restore gives back what was revoked: doctor says so, until it is revoked as the page of operators says', async () => {
    const database = async (url: string) => {
      await using faked = testPlane({ storage: await openStorage({ url }) })
      return (await faked.plane.systemCheck.run()).checks.find(({ name }) => name === 'database')
    }
    expect(await database(app)).toMatchObject({ status: 'ok' })
    // As pg_restore does: it makes the table anew, under the default rights, and grants the dump's rights.
    await runScript(owner, 'create table made (like audit_log including all);\ndrop table audit_log;\n')
    await runScript(
      owner,
      'alter table made rename to audit_log;\ngrant select, insert on audit_log to svc_app;\n',
    )
    expect(await database(app)).toMatchObject({ status: 'warn', detail: 'audit-can-change' })
    expect(await database(owner)).toMatchObject({ status: 'ok' })
    await runScript(owner, blockOf('docs/operators.md', 'revoke update, delete on audit_log'))
    expect(await database(app)).toMatchObject({ status: 'ok' })
  }, 60_000)

  test.each([
    'create table mine (id text)',
    'drop table jobs',
    'alter table licenses add column mine text',
    'truncate audit_log',
    "update audit_log set actor = 'nobody'",
    'delete from audit_log',
    'create role mine',
    'create database mine',
    'create schema mine',
    "copy jobs to program 'true'",
  ])('keep the service from: %s', async (statement) => {
    await expect(runScript(app, statement)).rejects.toMatchObject({ code: '42501' })
  })
})
