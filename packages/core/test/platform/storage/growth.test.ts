// A tick, the gauges and the lists that people look at cost the same however much there has been. Pages are
// counted for each table, so that a statement that reads history is named by its table.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openStorage } from '@svc/core/sql'
import { FakeClock, testPlane } from '@svc/testing'
import { POSTGRES } from './backends.ts'
import { SqlScene } from './sql-scene.ts'

const FEW = 3000
const MANY = 100_000
/** Pages of one table that may be read more behind many rows: indexes are a level higher, some are fuller. */
const SPARE = 100

const NOW = new FakeClock().now().toISOString()
const AGO = `timestamptz '${NOW}' - interval '10 days' + n * interval '1 ms'`

/** Rows of past things, by table: all over, and not yet so old that they are removed. */
const HISTORY: Readonly<Record<string, string>> = {
  jobs: `insert into jobs (id, license_id, kind, state, payload, app, target, deployment_id, max_attempts, timeout_seconds,
      created_at, due_at, available_at, finished_at, claimed_by, claimed_at)
    select 'job_old' || lpad(n::text, 23, '0'), 'lic_' || n % 50, 'deploy', case n % 10 when 0 then 'failed' else 'succeeded' end,
      '{}', 'app-' || n % 7, '', 'dep_' || n, 3, 3600, ${AGO}, ${AGO}, ${AGO}, ${AGO}, 'fp', ${AGO}`,
  deployments: `insert into deployments (id, license_id, job_id, app, source, created_at)
    select 'dep_' || n, 'lic_' || n % 50, 'job_old' || lpad(n::text, 23, '0'), 'app-' || n % 7, '{}', ${AGO}`,
  job_log_chunks: `insert into job_log_chunks (job_id, first_line, attempt, first_offset, next_offset, lines, accepted,
      job_chars, body, at)
    select 'job_old' || lpad(n::text, 23, '0'), 0, 1, 0, 1, 1, 1, 1, '', ${AGO}`,
  audit_log: `insert into audit_log (id, at, actor, operation, input, outcome)
    select 'aud_' || lpad(n::text, 26, '0'), ${AGO}, 'ann', 'jobs.enqueue', '{}', 'ok'`,
  alerts: `insert into alerts (id, license_id, dedup_key, kind, severity, summary, details, count, flapping, starts_at,
      last_seen_at, resolved_at)
    select 'alr_' || lpad(n::text, 26, '0'), 'lic_' || n % 50, 'key-' || n, 'deploy_failed', 'warning', '', '{}', 1, false,
      ${AGO}, ${AGO}, ${AGO}`,
  alert_actions: `insert into alert_actions (id, alert_id, at, actor, action)
    select 'act_' || lpad(n::text, 26, '0'), 'alr_' || lpad(n::text, 26, '0'), ${AGO}, 'ann', 'ack'`,
  deliveries: `insert into deliveries (id, kind, recipient, state, attempts, created_at, due_at, settled_at)
    select 'dlv_' || n, (array['log', 'webhook', 'endpoint', 'email'])[1 + n % 4], 'to-' || n % 50, 'sent', 1, ${AGO}, ${AGO},
      ${AGO}`,
  webhook_messages: `insert into webhook_messages (id, license_id, type, body, occurred_at)
    select 'evt_' || n, 'lic_' || n % 50, 'job.succeeded', '{}', ${AGO}`,
  delivery_attempts: `insert into delivery_attempts (delivery_id, n, at, duration_ms, status, response)
    select 'dlv_' || n, 1, ${AGO}, 1, 200, ''`,
  git_deliveries: `insert into git_deliveries (id, hook_id, delivery_id, body_sha256, provider, event, ref, outcome, address,
      received_at)
    select 'gdl_' || n, 'ghk_' || n % 50, 'd-' || n, '', 'github', 'push', 'refs/heads/main', 'ignored', '', ${AGO}`,
  email_messages: `insert into email_messages (id, owner, kind, domain_id, from_address, state, created_at, settled_at)
    select 'msg_' || n, 'lic_' || n % 50, 'api', 'edm_' || n % 50, 'a@b.example', 'sent', ${AGO}, ${AGO}`,
  email_recipients: `insert into email_recipients (message_id, address, position, role, state)
    select 'msg_' || n, 'a@b.example', 0, 'to', 'sent'`,
  access_sessions: `insert into access_sessions (id, license_id, fingerprint, hostname, operator_kind, operator_label, mode,
      cols, rows, term, reason, ip, relay, state, operator_jti, created_at, expires_at, ended_at)
    select 'acs_' || n, 'lic_' || n % 50, 'fp', 'web', 'user', 'ann', 'shell', 80, 24, 'xterm', '', '', '', 'ended', '',
      ${AGO}, ${AGO}, ${AGO}`,
  payment_events: `insert into payment_events (id, type, created, livemode, object_id, state, attempts, payload_redacted,
      received_at)
    select 'pev_' || n, 'invoice.paid', ${AGO}, false, 'in_' || n, 'applied', 1, '{}', ${AGO}`,
}

describe(`what runs again and again on ${POSTGRES}`, () => {
  let scene: SqlScene
  beforeAll(async () => {
    scene = await SqlScene.open()
    // A table that is analysed meanwhile is read by nobody whom this counts.
    const { rows } = await scene.client.query<{ name: string }>(
      "select oid::regclass as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    )
    for (const { name } of rows)
      await scene.client.query(`alter table ${name} set (autovacuum_enabled = off)`)
    await scene.client.query(
      `insert into licenses (id, key_digest) select 'lic_' || n, 'digest-' || n from generate_series(0, 49) n`,
    )
  }, 120_000)
  afterAll(() => scene[Symbol.asyncDispose](), 120_000)

  /** Resolved alerts are counted as well, for as many days as they are kept. */
  const COUNTED = ['the gauges: alerts']

  async function fill(from: number, to: number): Promise<void> {
    const { client } = scene
    // Triggers would tell events of things long over.
    await client.query('set session_replication_role = replica')
    for (const insert of Object.values(HISTORY))
      await client.query(`${insert} from generate_series(${from}, ${to}) n`)
    await client.query('set session_replication_role = origin')
    await client.query('analyze')
  }

  /** Pages that were read of each table so far, indexes included. */
  async function read(): Promise<Map<string, number>> {
    const { rows } = await scene.client.query<{ name: string; pages: number }>(
      `select relname as name, (coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0)
        + coalesce(idx_blks_hit, 0) + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0))::float8 as pages
      from pg_statio_user_tables`,
    )
    return new Map(rows.map(({ name, pages }) => [name, pages]))
  }

  /** Reads the counts until they stay as they are: connections report when they end. */
  async function settled(): Promise<Map<string, number>> {
    for (let before = await read(); ; ) {
      await sleep(300)
      const after = await read()
      if (JSON.stringify([...after]) === JSON.stringify([...before])) return after
      before = after
    }
  }

  type Plane = ReturnType<typeof testPlane>['plane']
  /** The pages of each table that `work` reads, on connections of its own. */
  async function pagesOf(work: (plane: Plane) => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
    const before = await settled()
    {
      await using storage = await openStorage({ url: scene.url })
      await using test = testPlane({ storage })
      await work(test.plane)
      expect(test.log.messages('error')).toEqual([])
    }
    const after = await settled()
    return new Map([...after].map(([name, pages]) => [name, pages - (before.get(name) ?? 0)]))
  }

  const run = (name: string, input: object) => (plane: Plane) => plane.operations.run(name, input, 'ann')
  const WORK: Readonly<Record<string, (plane: Plane) => Promise<unknown>>> = {
    'a tick': (plane) => plane.scheduler.tick(),
    'the gauges': (plane) => plane.metrics.exposition(),
    'the system check': (plane) => plane.systemCheck.run(),
    'jobs.list': run('jobs.list', {}),
    'jobs.list of a license': run('jobs.list', { license: 'lic_1' }),
    'deployments of a license': (plane) => plane.deployments.list({ licenseId: 'lic_1', limit: 50 }),
    'audit.list': run('audit.list', {}),
    'fleet.servers': run('fleet.servers', {}),
    'git deliveries': (plane) => plane.storage.gitHooks.deliveries('ghk_1', 50),
    'ssh.sessions': run('ssh.sessions', {}),
    'billing-events.list': run('billing-events.list', {}),
  }

  it('reads as many pages behind 100,000 rows of each kind as behind 3,000', async () => {
    await fill(1, FEW)
    const few = new Map<string, ReadonlyMap<string, number>>()
    for (const [name, work] of Object.entries(WORK)) few.set(name, await pagesOf(work))
    await fill(FEW + 1, MANY)
    const grown: string[] = []
    for (const [name, work] of Object.entries(WORK))
      for (const [table, pages] of await pagesOf(work)) {
        const before = few.get(name)?.get(table) ?? 0
        const isCounted = COUNTED.includes(`${name}: ${table}`)
        if (!isCounted && pages > before * 1.5 + SPARE)
          grown.push(`${name}: ${before} pages of ${table} became ${pages}`)
      }
    expect(grown).toEqual([])
  }, 300_000)
})
