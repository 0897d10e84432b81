import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { SystemReport } from '@svc/core'
import pg from 'pg'
import { blockOf } from '../../../../test/docs/page.ts'
import { OwnPostgres } from '../../../../test/support/own-postgres.ts'
import { PGBOUNCER, pgbouncer } from '../../../../test/support/pgbouncer.ts'
import { type Ran, runSvc, SvcProcess } from '../support/svc-process.ts'

const PATIENCE_MS = 120_000
const NOT_KEPT =
  'the pooler behind DATABASE_URL does not keep sessions: use session pooling, or set DATABASE_SESSION_URL'

/** The settings of the page, without its addresses and passwords. */
const ofPage = (): Readonly<Record<string, string>> => {
  const [, own = ''] = blockOf('docs/deployment.md', '; /etc/pgbouncer/pgbouncer.ini').split('[pgbouncer]\n')
  const lines = own.split('\n').map((line) => line.split(' = ') as [string, string])
  return Object.fromEntries(lines.filter(([name]) => !/^(?:listen|auth)_/.test(name)))
}

const behind = PGBOUNCER === undefined ? describe.skip : describe

behind('svc behind PgBouncer', () => {
  let cwd: string
  let postgres: OwnPostgres
  let url: string

  const asOwner = async (script: string, database = 'postgres') => {
    const client = new pg.Client({
      connectionString: Object.assign(new URL(postgres.url), { pathname: `/${database}` }).href,
    })
    await client.connect()
    for (const statement of script.split(';\n')) await client.query(statement)
    await client.end()
  }

  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
    postgres = await OwnPostgres.open()
    await asOwner("create role svc_app login password 'of-the-app';\ncreate database svc owner svc_app")
    const address = { username: 'svc_app', password: 'of-the-app', pathname: '/svc' }
    url = Object.assign(new URL(postgres.url), address).href
  }, PATIENCE_MS)
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]()
    await rm(cwd, { recursive: true })
  })

  const run = (DATABASE_URL: string, ...args: readonly string[]): Promise<Ran> =>
    runSvc(args, { cwd, env: { DATABASE_URL } })
  const doctor = async (through: string, ...more: readonly string[]) => {
    const { out } = await run(through, 'doctor', '--json', ...more)
    return (JSON.parse(out) as SystemReport).checks.find(({ name }) => name === 'database')
  }
  const healthz = async (address: string) => {
    const answer = await fetch(`${address}/healthz`, { headers: { connection: 'close' } })
    return {
      status: answer.status,
      body: (await answer.json()) as { checks: { database: { reason?: string } } },
    }
  }
  // A busy machine may not reach the database in the time that a check has.
  const reached = async (address: string) => {
    for (;;) {
      const answer = await healthz(address)
      if (answer.body.checks.database.reason !== 'unreachable') return answer
      await setTimeout(100)
    }
  }

  test(
    'With transaction pooling the service waits and says why, commands end with 3, and it serves when sessions are kept',
    async () => {
      await using pooler = await pgbouncer(url, { ...ofPage(), pool_mode: 'transaction' })
      const through = pooler.through(url)
      const env = { DATABASE_URL: through }
      await using svc = new SvcProcess(['serve', '--port', '0', '--migrate'], { cwd, env })
      await svc.until('err', `"waits_for":"${NOT_KEPT}"`)
      const line = svc.err.text.split('\n').find((each) => each.includes('"msg":"listening"'))
      const { url: address } = JSON.parse(line ?? '{}') as { url: string }
      expect(await reached(address)).toMatchObject({
        status: 503,
        body: { ok: false, checks: { database: { status: 'fail', reason: 'sessions-not-kept' } } },
      })
      expect((await fetch(`${address}/livez`, { headers: { connection: 'close' } })).status).toBe(200)
      for (const args of [['migrate'], ['tenants', 'list'], ['export', '-']]) {
        const { code, out, err } = await run(through, ...args)
        expect([code, out, err]).toEqual([3, '', expect.stringContaining(`svc: ${NOT_KEPT}`)])
      }
      const said = { status: 'fail', detail: 'sessions-not-kept' }
      expect(await doctor(through)).toMatchObject(said)
      expect(await doctor(through, '--local')).toMatchObject(said)

      await pooler.reload({ pool_mode: 'session' })
      expect(await healthz(await svc.serving())).toMatchObject({ status: 200 })
      svc.kill('SIGTERM')
      expect(await svc.end()).toBe(0)
    },
    PATIENCE_MS,
  )

  test(
    'With the settings of the page commands work, and doctor warns of limits until the role has those of the page',
    async () => {
      {
        await using pooler = await pgbouncer(url, ofPage())
        expect((await run(pooler.through(url), 'migrate')).code).toBe(0)
        const said = { status: 'warn', detail: 'limits-missing' }
        expect(await doctor(pooler.through(url))).toMatchObject(said)
        expect(await doctor(pooler.through(url), '--local')).toMatchObject(said)
        await asOwner(blockOf('docs/deployment.md', 'alter role svc_app in database svc'))
      }
      await using pooler = await pgbouncer(url, ofPage())
      expect(await doctor(pooler.through(url))).toMatchObject({ status: 'ok' })
      expect((await run(pooler.through(url), 'tenants', 'list')).code).toBe(0)
      expect(await doctor(url)).toMatchObject({ status: 'ok' })
    },
    PATIENCE_MS,
  )
})
