// The way back of docs/upgrades.md, by the commands of the pages: pg_dump, pg_restore, and the old release.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runSvc, SOURCES } from '../packages/cli/test/support/svc-process.ts'
import { commandOf } from '../scripts/upgrade/installation.ts'
import { Plane } from '../scripts/upgrade/plane.ts'
import { lasting } from '../scripts/upgrade/reads.ts'
import { openWorld, type World } from '../scripts/upgrade/world.ts'
import { blockOf } from './docs/page.ts'
import { DebianPostgres, debianVersions } from './support/debian-postgres.ts'
import { type TwoRoles, twoRoles } from './support/two-roles.ts'
import { counts, inDatabase, settingsOf, type Unpacked, unpacked } from './support/upgraded.ts'

const PATIENCE_MS = 120_000
const [version] = debianVersions()
if (version === undefined) process.stderr.write('skipped: pg_dump and pg_restore are not installed\n')
const suite = version === undefined ? describe.skip : describe

suite('A database with two roles', () => {
  let old: Unpacked
  let world: World
  let server: DebianPostgres
  let roles: TwoRoles

  beforeAll(async () => {
    old = unpacked('on-postgres')
    world = await openWorld()
    server = await DebianPostgres.open(version ?? '')
    roles = await twoRoles(server.url)
    const dump = readFileSync(join(old.place, 'database.sql'), 'utf8')
    await inDatabase(roles.owner, (client) => client.query(dump))
    await inDatabase(roles.owner, (client) =>
      client.query('revoke update, delete on public.audit_log from svc_app'),
    )
  }, PATIENCE_MS)
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    old[Symbol.dispose]()
  })

  /** Runs a block of a page beside the backup, as an administrator of the server. */
  function follow(page: string, first: string, DATABASE_URL: string) {
    const { hostname, port, username } = new URL(server.url)
    const env = { PATH: process.env.PATH, PGHOST: hostname, PGPORT: port, PGUSER: username, DATABASE_URL }
    const done = spawnSync('sh', ['-e', '-c', blockOf(page, first)], { cwd: old.cwd, env, encoding: 'utf8' })
    return { code: done.status, said: done.stderr }
  }
  const serve = (url: string, program: readonly string[]) =>
    Plane.serve(
      { cwd: old.cwd, env: { ...settingsOf(old, world), DATABASE_URL: url }, program },
      '--tick',
      '0',
    )

  test(
    'is backed up, upgraded, and cannot be mixed with its backup',
    async () => {
      expect(follow('docs/operators.md', 'pg_dump --format=custom', roles.owner)).toEqual({
        code: 0,
        said: '',
      })
      const migrated = await runSvc(['migrate'], { cwd: old.cwd, env: { DATABASE_URL: roles.owner } })
      expect(migrated.code).toBe(0)
      const before = await counts(roles.owner)
      const { code, said } = follow('docs/operators.md', 'pg_restore --clean', roles.owner)
      expect([code, said]).toEqual([1, expect.stringContaining('other objects depend on it')])
      expect(await counts(roles.owner)).toEqual(before)
      await using plane = await serve(roles.app, SOURCES)
      await plane.operation(old.facts.customer.token, 'tenants.add', {
        name: 'a customer of the newer release',
      })
      await plane.stop()
    },
    PATIENCE_MS,
  )

  test(
    'is served by the old release once its backup is restored, as it was',
    async () => {
      expect(follow('docs/upgrades.md', 'createdb', roles.owner)).toEqual({ code: 0, said: '' })
      const at = (url: string) => Object.assign(new URL(url), { pathname: '/svc_back' }).href
      await using plane = await serve(at(roles.app), commandOf(old.release))
      for (const read of old.facts.reads) {
        const answer = await plane.operation(old.facts.customer.token, read.operation, read.input)
        const now = lasting({ ...read, answer }, old.facts.jobs)
        expect([read.operation, now]).toMatchObject([read.operation, lasting(read, old.facts.jobs)])
      }
      await expect(
        inDatabase(at(roles.app), (client) => client.query('delete from audit_log')),
      ).rejects.toMatchObject({ code: '42501' })
      const again = await runSvc(['migrate'], { cwd: old.cwd, env: { DATABASE_URL: at(roles.owner) } })
      expect(again.code).toBe(0)
      await plane.stop()
    },
    PATIENCE_MS,
  )
})
