// This release takes over a database and the state folder of an agent as commit 7f8be925 left them, with the
// agent of that commit. `upgrade-folder.test.ts` has the data folder, `upgrade-back.test.ts` the way back by
// the commands of the pages. `npm run upgrade` makes the fixtures.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newDataKey } from '@svc/core'
import { oneTimeCode, type TestDatabase } from '@svc/testing'
import { Webhook } from 'standardwebhooks'
import { runSvc, SOURCES } from '../packages/cli/test/support/svc-process.ts'
import { pay, push, signIn } from '../scripts/upgrade/customer.ts'
import { agentOf, commandOf } from '../scripts/upgrade/installation.ts'
import { type Document, Plane } from '../scripts/upgrade/plane.ts'
import { lasting } from '../scripts/upgrade/reads.ts'
import { ended, LINES, startAgent, until, writeHandlers } from '../scripts/upgrade/work.ts'
import { openWorld, type World } from '../scripts/upgrade/world.ts'
import {
  asNow,
  counts,
  inDatabase,
  restored,
  settingsOf,
  type Unpacked,
  unpacked,
} from './support/upgraded.ts'

const { dkimVerify } = createRequire(import.meta.url)('mailauth/lib/dkim/verify') as {
  dkimVerify: (
    message: Buffer,
    options: { resolver: (name: string) => Promise<string[][]> },
  ) => Promise<{ readonly results: readonly { readonly status: { readonly result: string } }[] }>
}

const PATIENCE_MS = 90_000

let old: Unpacked
let world: World

beforeAll(async () => {
  old = unpacked('on-postgres')
  world = await openWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  old[Symbol.dispose]()
})

/** Serves a database, on this release unless told otherwise. */
const serve = (url: string, { program = SOURCES, env = {}, flags = [] as readonly string[] } = {}) =>
  Plane.serve(
    { cwd: old.cwd, env: { ...settingsOf(old, world), DATABASE_URL: url, ...env }, program },
    ...['--tick', '0', ...flags],
  )

const run = <D = Document>(plane: Plane, name: string, input: Document = {}) =>
  plane.operation<D>(old.facts.customer.token, name, input)

/** The agent of the old release, with the state folder that it left behind. */
function agentAt(plane: Plane) {
  const handlers = join(old.cwd, 'handlers')
  writeHandlers(handlers, { isQuick: true })
  const { key } = old.facts.customer.license
  const place = { cwd: old.cwd, url: plane.url, key, stateDir: join(old.place, 'agent'), handlers }
  return startAgent({ program: agentOf(old.release), ...place })
}

/** Does the work that is done every minute. */
async function tick(plane: Plane): Promise<void> {
  const headers = { authorization: `Bearer ${old.facts.env.MONITORS_CRON_SECRET}` }
  expect((await plane.ask('/api/v1/monitors/run', { method: 'POST', headers })).status).toBe(200)
}

const linesOf = async (plane: Plane, job: string) =>
  (await run<{ logs: readonly { line: string }[] }>(plane, 'jobs.logs', { job, limit: 10_000 })).logs.map(
    ({ line }) => line,
  )

describe('A database of the old release', () => {
  let database: TestDatabase
  let plane: Plane

  beforeAll(async () => {
    database = await restored(old)
  })
  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  test(
    'is migrated with all of its rows',
    async () => {
      const { migrations: _, migration_checksums: __, ...rows } = await counts(database.url)
      plane = await serve(database.url, { flags: ['--migrate'] })
      expect(await counts(database.url)).toMatchObject(rows)
    },
    PATIENCE_MS,
  )

  test(
    'answers all that the old release answered, but for what the changelog says',
    async () => {
      expect(old.facts.reads.length).toBeGreaterThan(60)
      for (const read of old.facts.reads) {
        const answer = await run(plane, read.operation, read.input)
        const asked = [read.operation, read.input]
        const now = lasting({ ...read, answer }, old.facts.jobs)
        expect([...asked, now]).toMatchObject([...asked, asNow(lasting(read, old.facts.jobs), read)])
      }
    },
    PATIENCE_MS,
  )

  test('takes the cursor of a list that was begun before', async () => {
    const [first, second] = old.facts.pages
    const { jobs } = await run<{ jobs: readonly Document[] }>(plane, 'jobs.list', {
      limit: 3,
      cursor: first.next_cursor,
    })
    const ids = (page: unknown) => (page as readonly { id: string }[]).map(({ id }) => id)
    expect(ids(jobs)).toEqual(ids(second.jobs))
  })

  test('has its hooks and deployments as apps', async () => {
    const { apps } = await run<{ apps: readonly Document[] }>(plane, 'apps.list')
    const { hooks, license } = old.facts.customer
    const of = (name: string) => apps.find((app) => app.name === name)
    expect(apps.map(({ name }) => name)).toEqual(['blog', 'broken', 'queue', 'shop', 'site'])
    expect(of('shop')).toMatchObject({
      license_id: license.id,
      host: 'second-host-0123456789',
      git_hook: hooks.shop.id,
      last_deployment: { state: 'pending' },
    })
    expect(of('site')).toMatchObject({
      last_deployment: { job_id: old.facts.jobs.succeeded, state: 'succeeded' },
    })
    expect(of('broken')).toMatchObject({
      last_deployment: { job_id: old.facts.jobs.retried, state: 'failed' },
    })
  })

  test('has its logs in the part of all that was before, and months ahead of them', async () => {
    const parts = await inDatabase(database.url, async (client) => {
      const { rows } = await client.query('select part::text, low, high from svc_log_parts()')
      const { rows: own } = await client.query(
        'select distinct tableoid::regclass::text as part from job_log_chunks where job_id = $1',
        [old.facts.jobs.succeeded],
      )
      return { all: rows.map(({ part }) => part), own: own.map(({ part }) => part) }
    })
    expect(parts.own).toEqual(['job_log_chunks_before'])
    expect(parts.all).toHaveLength(4)
    const lines = await linesOf(plane, old.facts.jobs.succeeded)
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([LINES, 'line 1', `line ${LINES}`])
  })

  test(
    'lets the people and programs in that had credentials',
    async () => {
      const { owner, tenantToken, license, browserToken, tenant } = old.facts.customer
      await expect(signIn(plane, owner.email, owner.password)).rejects.toThrow('401')
      const cookie = await signIn(plane, owner.email, owner.password, oneTimeCode(owner.otp, new Date()))
      const me = await plane.ask('/api/v1/operations/licenses.list', { body: {}, headers: { cookie } })
      expect(await me.json()).toMatchObject({ licenses: [{ label: 'web servers' }, { label: 'lost' }] })
      expect(await plane.operation(tenantToken, 'tenants.list')).toMatchObject({ tenants: [{ id: tenant }] })
      const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
      const fleet = await plane.ask('/v1/fleet/servers', bearer(license.key))
      expect(await fleet.json()).toMatchObject({ servers: [{ hostname: 'web-1' }, { hostname: 'web-2' }] })
      const page = { body: { url: 'http://127.0.0.1/' }, ...bearer(browserToken) }
      expect([401, 403]).not.toContain((await plane.ask('/api/v1/browser/scrape', page)).status)
    },
    PATIENCE_MS,
  )

  test('knows the events of the payment provider that it had', async () => {
    const { payment } = old.facts.customer
    const again = await pay(plane, old.facts.env.PAYMENT_WEBHOOK_SECRET ?? '', payment)
    expect([again.status, await again.json()]).toEqual([200, { received: true, duplicate: true }])
  })

  test(
    'serves the old agent with its state folder: what waited and what was cut off ends',
    async () => {
      const { jobs, customer } = old.facts
      await using agent = agentAt(plane)
      for (const job of [jobs.pending, jobs.running, jobs.first, jobs.second])
        expect([job, await ended(plane, customer.token, job)]).toMatchObject([
          job,
          { job: { state: 'succeeded' } },
        ])
      expect(await linesOf(plane, jobs.pending)).toEqual(['pruned'])
      expect(await linesOf(plane, jobs.first)).toEqual(['greeting good morning'])
      expect(await linesOf(plane, jobs.running)).toEqual([
        'began',
        '[agent] the agent ended while this job ran; its work was ended too',
        'stopped',
      ])
      expect(await run(plane, 'fleet.show', { host: 'web-1' })).toMatchObject({
        server: { state: 'online', label: 'Frankfurt, rack 3' },
      })
      agent.kill('SIGTERM')
      expect(await agent.end()).toBe(0)
      expect(agent.err.text).not.toContain('"level":"error"')
    },
    PATIENCE_MS,
  )

  test(
    'sends events and alerts that are signed as before',
    async () => {
      const { endpoint, alertSecret } = old.facts.customer
      const to = `http://127.0.0.1:${world.receiver.port}`
      await run(plane, 'webhooks.update', { endpoint: endpoint.id, url: `${to}/events` })
      const { message_id } = await run<{ message_id: string }>(plane, 'webhooks.test', {
        endpoint: endpoint.id,
      })
      await run(plane, 'alerts.webhook-set', { tenant: 'acme', url: `${to}/alerts` })
      await run(plane, 'alerts.webhook-test', { tenant: 'acme' })
      const find = async (isIt: (seen: World['receiver']['seen'][number]) => boolean) => {
        await until(
          async () => world.receiver.seen,
          (seen) => seen.some(isIt),
          'waited for a message',
        )
        const { body, headers } = world.receiver.seen.find(isIt) ?? { body: '', headers: {} }
        return [body, headers as Record<string, string>] as const
      }
      const event = await find(({ headers }) => headers['webhook-id'] === message_id)
      expect(new Webhook(endpoint.secret).verify(...event)).toMatchObject({ type: 'webhook.ping' })
      const alert = await find(({ url }) => url === '/alerts')
      expect(() => new Webhook(alertSecret).verify(...alert)).not.toThrow()
      expect(() => new Webhook(alertSecret).verify(...event)).toThrow()
    },
    PATIENCE_MS,
  )

  test(
    'sends email with the domain key that it had',
    async () => {
      const { sendingKey, records, domain } = old.facts.customer
      const message = {
        from: `shop@${domain.name}`,
        to: ['bob@customer.example'],
        subject: 'Again',
        text: 'Thanks.',
      }
      const headers = { authorization: `Bearer ${sendingKey}` }
      expect((await plane.ask('/api/v1/email/send', { body: message, headers })).status).toBe(202)
      await tick(plane)
      const arrived = await until(
        async () => world.relay.received,
        ({ length }) => length > 0,
        'waited for mail',
      )
      const resolver = async (name: string) =>
        records.filter((record) => record.name === name).map(({ value }) => [value])
      const { results } = await dkimVerify(arrived[0]?.raw ?? Buffer.alloc(0), { resolver })
      expect(results.map(({ status }) => status.result)).toEqual(['pass'])
    },
    PATIENCE_MS,
  )

  test(
    'takes pushes by the secrets of its hooks, and gives hosts the credentials of a repository',
    async () => {
      const { hooks } = old.facts.customer
      expect((await push(plane, { ...hooks.shop, secret: hooks.blog.secret })).status).toBe(401)
      const sha = 'a'.repeat(40)
      expect((await push(plane, hooks.blog, { app: 'blog', sha })).text).toContain('"accepted":true')
      await run(plane, 'fleet.undrain', { host: 'web-2' })
      const headers = { authorization: `Bearer ${old.facts.customer.license.key}` }
      const fingerprint = 'second-host-0123456789'
      const claimed = new Map<string, unknown>()
      for (const _ of ['shop', 'firewall', 'blog']) {
        const claim = await plane.ask('/v1/jobs/claim', { body: { fingerprint }, headers })
        const { job } = (await claim.json()) as { job: { id: string; kind: string; payload: Document } }
        claimed.set(String(job.payload.app ?? job.kind), job.payload)
        const report = { body: { fingerprint, state: 'succeeded', exit_code: 0 }, headers }
        expect((await plane.ask(`/v1/jobs/${job.id}/status`, report)).status).toBe(200)
      }
      expect(Object.fromEntries(claimed)).toMatchObject({
        shop: { source: { auth: { private_key: expect.stringContaining('OPENSSH') } } },
        blog: { source: { sha, auth: { password: 'made-up-forge-token' } } },
        firewall: { revision: 1, settings: { firewall: { allow: [{ ports: ['22'] }] } } },
      })
    },
    PATIENCE_MS,
  )

  test(
    'passes the checks of doctor',
    async () => {
      await tick(plane)
      const { out } = await plane.run('doctor', '--json')
      const { checks } = JSON.parse(out) as { checks: readonly { status: string; detail?: string }[] }
      // A month after the fixtures were made their logs are past their retention, which nobody has accepted.
      const isFault = ({ status, detail }: (typeof checks)[number]) =>
        status !== 'ok' && status !== 'skipped' && detail !== 'not-accepted'
      expect(checks.length).toBeGreaterThan(20)
      expect(checks.filter(isFault)).toEqual([])
    },
    PATIENCE_MS,
  )

  test(
    'keeps ended jobs until somebody accepts that they go',
    async () => {
      await tick(plane)
      expect(await run(plane, 'retention.show')).toMatchObject({ jobs: { goes: false } })
      expect(await linesOf(plane, old.facts.jobs.failed)).toEqual(['the image is not there'])
    },
    PATIENCE_MS,
  )

  test(
    'has all that it had sealed sealed anew under another key',
    async () => {
      await plane.stop()
      const keys = `${newDataKey('k2')},${old.facts.env.SERVICE_DATA_KEYS}`
      plane = await serve(database.url, { env: { SERVICE_DATA_KEYS: keys } })
      const sealed = async () => {
        const { secrets } = await run<{ secrets: readonly Record<string, number>[] }>(plane, 'secrets.status')
        const sum = (field: string) => secrets.reduce((all, each) => all + (each[field] ?? 0), 0)
        return {
          current: sum('current'),
          older: sum('older'),
          unreadable: sum('unreadable'),
          plain: sum('plain'),
        }
      }
      const before = await sealed()
      expect(before).toMatchObject({ current: 0, unreadable: 0, plain: 0 })
      expect(before.older).toBeGreaterThan(8)
      expect((await plane.run('secrets', 'rotate')).code).toBe(0)
      expect(await sealed()).toEqual({ current: before.older, older: 0, unreadable: 0, plain: 0 })
      await plane.stop()
    },
    PATIENCE_MS,
  )

  test(
    'is refused by the old release once it is migrated; the backup is served by it, with its agent as it is now',
    async () => {
      const { reads, jobs, customer } = old.facts
      const back = commandOf(old.release)
      const refused = await Plane.waiting({
        cwd: old.cwd,
        program: back,
        env: { ...settingsOf(old, world), DATABASE_URL: database.url },
      })
      expect(refused).toContain('the database is ahead of this release')
      await using backup = await restored(old)
      plane = await serve(backup.url, { program: back })
      for (const read of reads) {
        const now = { ...read, answer: await run(plane, read.operation, read.input) }
        expect([read.operation, lasting(now, jobs)]).toMatchObject([read.operation, lasting(read, jobs)])
      }
      await using agent = agentAt(plane)
      for (const job of [jobs.pending, jobs.first, jobs.second, jobs.running])
        expect([job, await ended(plane, customer.token, job)]).toMatchObject([
          job,
          { job: { state: 'succeeded' } },
        ])
      agent.kill('SIGTERM')
      expect(await agent.end()).toBe(0)
      await plane.stop()
    },
    PATIENCE_MS,
  )
})

test(
  'A replica of the old release that serves while the database is migrated goes on with its hosts',
  async () => {
    const { jobs, customer } = old.facts
    await using database = await restored(old)
    await using plane = await serve(database.url, { program: commandOf(old.release) })
    const migrated = await runSvc(['migrate'], { cwd: old.cwd, env: { DATABASE_URL: database.url } })
    expect(migrated.code).toBe(0)
    await using agent = agentAt(plane)
    for (const job of [jobs.pending, jobs.running, jobs.first, jobs.second])
      expect([job, await ended(plane, customer.token, job)]).toMatchObject([
        job,
        { job: { state: 'succeeded' } },
      ])
    expect(await linesOf(plane, jobs.pending)).toEqual(['pruned'])
    agent.kill('SIGTERM')
    expect(await agent.end()).toBe(0)
    expect(plane.process.err.text).not.toContain('"level":"error"')
  },
  PATIENCE_MS,
)
