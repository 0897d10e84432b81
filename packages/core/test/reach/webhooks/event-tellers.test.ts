// Each declared event has one teller: a trigger's function of the migrated database, or a service.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { EVENT_TYPES } from '@svc/core'
import { migratedDatabase } from '@svc/testing'
import pg from 'pg'
import { MIGRATIONS } from '../../../src/platform/database/migrations/index.ts'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

interface Database extends AsyncDisposable {
  readonly run: (text: string) => Promise<readonly Readonly<Record<string, string>>[]>
}

async function onPostgres(): Promise<Database> {
  const database = await migratedDatabase(SERVER)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const close = async () => {
    await client.end()
    await database[Symbol.asyncDispose]()
  }
  return { run: async (text) => (await client.query(text)).rows, [Symbol.asyncDispose]: close }
}

async function onPglite(): Promise<Database> {
  const pglite = await PGlite.create()
  for (const { sql } of MIGRATIONS) for (const text of sql) await pglite.exec(text)
  const run = async (text: string) => (await pglite.query<Record<string, string>>(text)).rows
  return { run, [Symbol.asyncDispose]: () => pglite.close() }
}

/** Leaves the triggers of events alone, so that an act is a row of the columns that it is about. */
const BARE = `do $$ declare r record; begin
  for r in select conrelid::regclass as t, conname from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('c', 'f') loop
    execute format('alter table %s drop constraint %I', r.t, r.conname);
  end loop;
  for r in select g.tgrelid::regclass as t, g.tgname from pg_trigger g join pg_proc p on p.oid = g.tgfoid
      where not g.tgisinternal and position('svc_event(' in p.prosrc) = 0 loop
    execute format('alter table %s disable trigger %I', r.t, r.tgname);
  end loop;
  for r in select a.attrelid::regclass as t, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and a.attnotnull
        and not a.attisdropped and a.attidentity = '' and not exists (select from pg_index i
          where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)) loop
    execute format('alter table %s alter column %I drop not null', r.t, r.attname);
  end loop;
end $$`

/** Notes who tells, in the place of the message. */
const NOTE = `create or replace function svc_event(license text, tenant text, event text, fact text, topic text,
    happened timestamptz, content json, thin json default null, beside text default '') returns void
  language plpgsql as $$ declare stack text; begin
    get diagnostics stack = pg_context;
    insert into told values (event, substring(stack from 'function (svc_[a-z_]+_event)\\(\\)'));
  end $$`

const SCENE = [
  BARE,
  'create table told (type text, teller text)',
  NOTE,
  "insert into webhook_endpoints (id, license_id) values ('whe', 'lic')",
  `insert into jobs (id, license_id, attempt, lost, deployment_id) values ('a', 'lic', 0, 0, 'one'),
    ('b', 'lic', 1, 0, 'two'), ('c', 'lic', 1, 0, null)`,
  "insert into monitors (id, license_id, revision, last_run_at) values ('mon', 'lic', 1, now())",
  "insert into email_messages (id, owner, state) values ('a', 'lic', 'queued'), ('b', 'lic', 'queued')",
  "insert into email_domains (id, owner, status, checked_at) values ('dom', 'lic', 'pending', now())",
  "insert into git_hooks (id, license_id) values ('hook', 'lic')",
  "insert into provisioning_orders (id, license_id, state) values ('ord', 'lic', 'requested')",
]

type Act = readonly [text: string, ...types: string[]]

/** Acts by the function that tells them. */
const ACTS: Readonly<Record<string, readonly Act[]>> = {
  svc_host_event: [
    [
      "insert into agents (license_id, fingerprint, last_heartbeat) values ('lic', 'fp', now())",
      'host.activated',
    ],
  ],
  svc_job_event: [
    ["update jobs set attempt = 1 where id = 'a'", 'job.claimed'],
    ["update jobs set attempt = 2, lost = 1 where id = 'a'", 'job.reclaimed'],
    [
      "update jobs set finished_at = now(), state = 'succeeded' where id = 'a'",
      'job.succeeded',
      'deployment.succeeded',
    ],
    [
      "update jobs set finished_at = now(), state = 'failed' where id = 'b'",
      'job.failed',
      'deployment.failed',
    ],
    [
      "update jobs set finished_at = now(), state = 'failed', cancel_requested_at = now() where id = 'c'",
      'job.cancelled',
    ],
  ],
  svc_alert_event: [
    [
      "insert into alerts (id, license_id, kind, fingerprint) values ('alr', 'lic', 'host_offline', 'fp')",
      'alert.opened',
      'host.offline',
    ],
    ['update alerts set acknowledged_at = now()', 'alert.acknowledged'],
    ['update alerts set resolved_at = now()', 'alert.resolved', 'host.online'],
  ],
  svc_monitor_event: [
    ['update monitors set drifted_at = now()', 'monitor.drift'],
    ['update monitors set drifted_at = null', 'monitor.recovered'],
  ],
  svc_license_event: [
    ["insert into licenses (id, status) values ('lic', 'active')", 'license.issued'],
    ["update licenses set status = 'suspended'", 'license.updated'],
  ],
  svc_email_event: [
    ["update email_messages set state = 'sent', settled_at = now() where id = 'a'", 'email.sent'],
    ["update email_messages set state = 'failed', settled_at = now() where id = 'b'", 'email.failed'],
  ],
  svc_email_domain_event: [
    ["update email_domains set status = 'verified'", 'email.domain.verified'],
    ["update email_domains set status = 'failed'", 'email.domain.failed'],
  ],
  svc_image_event: [["insert into images (id, license_id) values ('img', 'lic')", 'image.registered']],
  svc_push_event: [
    [
      "insert into git_deliveries (id, hook_id, outcome, job_id) values ('d', 'hook', 'accepted', 'a')",
      'git.push',
    ],
  ],
  svc_billing_event: [["update licenses set billing_state = 'active'", 'billing.license_updated']],
  svc_dunning_event: [
    ["insert into billing_dunning (license_id, invoice_id) values ('lic', 'inv')", 'billing.payment_failed'],
  ],
  svc_provisioning_event: [
    ["update provisioning_orders set state = 'pricing'", 'provisioning.state_changed'],
  ],
}

/** Types that services tell, with the file that does. */
const SERVICES = {
  'webhook.endpoint_disabled': 'reach/webhooks/endpoint-disabled.ts',
  'webhook.ping': 'reach/webhooks/webhook-deliveries.ts',
}

const DECLARED: readonly string[] = EVENT_TYPES
const acts = Object.entries(ACTS).flatMap(([teller, list]) => list.map((act) => [teller, ...act] as const))

for (const [name, open] of [
  ['PGlite', onPglite],
  [POSTGRES, onPostgres],
] as const)
  describe(`triggers of events on ${name}`, () => {
    let database: Database
    let bodies: readonly Readonly<Record<string, string>>[]
    beforeAll(async () => {
      database = await open()
      bodies = await database.run(`select proname as name, prosrc as body from pg_proc
        where pronamespace = 'public'::regnamespace and position('svc_event(' in prosrc) > 0 order by 1`)
      for (const text of SCENE) await database.run(text)
    })
    afterAll(async () => await database[Symbol.asyncDispose]())

    it('an act is told once, by one function', async () => {
      for (const [teller, text, ...types] of acts) {
        await database.run('delete from told')
        await database.run(text)
        const told = await database.run('select type, teller from told order by 1')
        expect(told).toEqual(types.toSorted().map((type) => ({ type, teller })))
      }
    })

    it('no other function tells, and none names a type that no feature declares', () => {
      expect(bodies.map((each) => each.name)).toEqual(Object.keys(ACTS).toSorted())
      for (const { body = '' } of bodies) {
        const starts = [...body.matchAll(/'((?:[a-z_]+\.)+)' \|\|/g)].map(([, start]) => start)
        const whole = [...body.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, type]) => type)
        const ends = [...body.matchAll(/(?:then|else) '(\w+)'/g)].map(([, end]) => end)
        expect(whole.filter((type) => !DECLARED.includes(type ?? ''))).toEqual([])
        expect(starts.filter((start) => !DECLARED.some((type) => type.startsWith(start ?? '')))).toEqual([])
        expect(ends.filter((end) => !starts.some((start) => DECLARED.includes(`${start}${end}`)))).toEqual([])
      }
    })
  })

it('each declared type has one teller: a function or a service', () => {
  const told = [...acts.flatMap(([, , ...types]) => types), ...Object.keys(SERVICES)]
  expect(told.toSorted()).toEqual(DECLARED.toSorted())
})

it('no other source tells an event', () => {
  const sources = join(import.meta.dirname, '../../../src')
  const texts = globSync('**/*.ts', { cwd: sources })
    .filter((path) => !path.startsWith('platform/database/migrations/'))
    .map((path) => [path, readFileSync(join(sources, path), 'utf8')] as const)
  const writes = texts.filter(([, text]) => /svc_event\(|into\W{0,3}webhook_messages/i.test(text))
  expect(writes.map(([path]) => path)).toEqual(['reach/webhooks/webhook-statements-sql.ts'])
  const tells = texts.filter(([, text]) => /webhooks\.(?:tellOthers|say)\(/.test(text))
  expect(
    tells.flatMap(([path, text]) => {
      const types = [...text.matchAll(/\btype(?::| =) '([a-z_]+(?:\.[a-z_]+)+)'/g)]
      return types.map(([, type]) => [type, path])
    }),
  ).toEqual(Object.entries(SERVICES))
})
