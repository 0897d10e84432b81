import { join } from 'node:path'
import { buildHeartbeat, embeddedFolder, FakeClock, type TestPlane, testPlane } from '@svc/testing'
import { pgliteDriver } from '../../../../src/platform/database/orm.ts'
import { openStorage } from '../../../../src/sql.ts'

/** Texts that a careless way through a file, an array or JSON would change. */
export const AWKWARD = 'a "b" \\ \\N, {c} null\n\tπ 👩‍🚀 \u2028 \u0001'

/** The ways into the plane whose rows stand in a folder. */
export interface FilledFolder {
  readonly dataDir: string
  readonly licenseId: string
  readonly key: string
  readonly cookie: string
  /** The job that a host holds, a job that waits for it by its serial key, and an urgent one. */
  readonly held: string
  readonly behind: string
  readonly urgent: string
  readonly conversation: string
}

/** The host of the license. */
export const HOST = { fingerprint: 'fp-0123456789', hostname: 'web-1' }

/** A host that holds a job goes on holding it while an export is carried over. */
export const LONG_LEASE = { SERVICE_JOB_LEASE_SECONDS: '3600' }

/** Rows for the tables that the services of `fill` leave empty. */
const MORE_ROWS = [
  `insert into access_sessions (id, license_id, fingerprint, hostname, operator_kind, operator_label, mode, command, cols, rows, term, reason, ip, relay, operator_jti, expires_at)
    values ('acs_1', 'lic', 'fp', 'web-1', 'machine', 'cli:ann', 'exec', 'x "y" \\N', 80, 24, 'xterm', '', '', 'wss://r.example', 'j', now())`,
  `insert into email_keys select 'ek_1', owner, 'app', 'svce_1', 'digest', id, now(), null, now(), null from email_domains`,
  `insert into email_messages select 'em_1', owner, 'api', id, 'ek_1', 'ann@acme.example', '{"a": "b\\\\"}', 'sending', 1,
     '2026-01-05 09:00:00.123456+00', now(), null from email_domains`,
  `insert into email_bodies values ('em_1', 'v1:k:x', 'v1:body:y')`,
  `insert into email_recipients values ('em_1', 'bob@example.net', 0, 'to', 'deferred', 451, 'later, "please" \\N')`,
  `insert into email_answers values ('lic', 'key "1"', 'hash', '{"id": "em_1"}', now())`,
  `insert into email_suppressions values ('lic', 'gone@example.net', 'no_mailbox', 'infinity', now())`,
  `insert into email_reminders values ('license_expiry', 'lic', '2026-01-05T09:00:00.000Z', 7, 'em_1', now())`,
  `insert into email_usage values ('lic', '2026-01-05', 7)`,
  `insert into billing_checkouts select 'chk_1', id, 'pro', 'price_1', 'v1:k:x', 'cs_1', 'v1:k:y', 'open', now(), now() from licenses limit 1`,
  `insert into billing_answers select id, 'key "1"', 'hash', 'chk_1', false, now() from licenses limit 1`,
  `insert into billing_subscriptions select 'sub_1', id, 'cus_1', 'price_1', 'pro', 'active', true, now(), '2026-01-05 09:00:00.123456+00',
     null, now(), 9007199254740993, 7, now(), 1, null from licenses limit 1`,
  'insert into billing_sync_tokens (last) values (9007199254740993)',
  `insert into billing_dunning select id, 'in_1', now(), null from licenses limit 1`,
  `insert into payment_events values ('evt_1', 'invoice.paid', now(), true, 'in_1', 'lic', 'failed', 2, now(), 'one', now(), 'fault',
    '{"invoice_id": "in \\"1\\""}', now())`,
  `insert into host_identities values ('lic', 'fp', 'boot', 'web-1', '2026-01-05 09:00:00.123456+00', null)`,
  `insert into alert_actions select 'act_1', id, now(), 'ann', 'acknowledge', null from alerts limit 1`,
  `insert into alert_mailboxes values ('ten_1', '["a@acme.example"]', now())`,
  `insert into rate_refusals values ('lic', date_trunc('minute', now()), 7)`,
  `insert into transfer_keys values ('xfr_1', 'lic', 'digest', 'fp', 'fp-2', 'pull', 2, 1, 'secret', null, 'scrypt$', 1,
    '{"paths":["{\\"a\\"}"]}', now(), now(), null, null)`,
  `insert into transfer_uses values ('xfs_1', 'xfr_1', now(), 'fp', 'fp-2')`,
  `insert into browser_tokens values ('brt_1', 'digest', 'x "y" \\N', 'lic', 5, '2026-01-05', 2, now(), null, null)`,
  `insert into browser_runs values ('brs_1', 'brt_1', 'run', 'www.example.com', 'completed', 3, 4, 5000000000, 6, now())`,
  `insert into webhook_endpoints values ('whe_1', 'lic', 'ten', 'https://hooks.example/', 'x', array['job.*', 'a,"b"\\'], 3600,
    'v1:k1:x', null, null, null, now(), now())`,
  `insert into webhook_messages values ('msg_1', 'lic', 'job.failed', '{"a": 1}', now())`,
  `insert into delivery_attempts select id, 1, now(), 12, 200, null, 'ok' from deliveries limit 1`,
  `insert into rate_windows values ('activate', '192.0.2.1', 3, 'infinity')`,
  `insert into node_security_revisions values ('lic', 'fp', 1, '{"a": 1}', 'digest', now(), 'ann')`,
  `insert into as_targets values ('lic', 'shop.example', now(), now(), null, now())`,
  `insert into as_addresses values ('lic', '192.0.2.1', now())`,
  `insert into as_scans values ('scn_1', 'lic', 'shop.example', 'done', array['ports', 'ct'], '{"hosts":["a\\b"]}', 0.5, '{"hosts":[]}',
    null, 1, now(), now(), now(), null, null)`,
  `insert into as_findings values ('lic', 'shop.example', 'f1', 'exposed-env', 'files', 'high', 'shop.example', 'shop.example', null,
    'A=… "x" N', 'remove it', 'open', now(), now())`,
  `insert into chat_model_days values ('2026-01-05', 12)`,
  `insert into app_variables select id || ' A', id, 'A', 'x "y" \\N', null, now() from apps limit 1`,
  `insert into observed_apps select license_id, fingerprint, 'shop "x"', 'down', '{"of": 2, "missing": ["web.1"]}', true, now(), now() from agents limit 1`,
  `insert into host_usage select license_id, fingerprint, now(), 7, 300, '\\x2800ff' from agents limit 1`,
  `insert into retention values (1, true, now(), 'ann "x"', now(), 'arc_1') on conflict (id) do update set accepted_by = excluded.accepted_by`,
  `insert into app_databases values ('lic shop', 'lic', 'shop', 'postgres', '[{"app": "shop", "as": "A \\\\"}]', 'create', 'job_1', 'ann "x"', now(), now())`,
  `insert into app_domains select 'lic www', license_id, id, 'www.example.com', '{"allow": ["::1"]}', false, 'job_1', 'ann "x"', now(), now()
    from apps limit 1`,
  `insert into git_hooks values ('ghk_1', 'lic', 'shop', 'fp', 'github', 'https://git.example/x', 'main', null, '["a/**"]', '[]', true,
    false, true, 'none', null, now(), now())`,
  `insert into git_hook_secrets values ('ghk_1/secret', 'ghk_1', 'secret', 'v1:k1:x', null)`,
  `insert into git_deliveries values ('gdl_1', 'ghk_1', 'one', 'digest', 'github', 'push', 'refs/heads/main', null, null, 'ignored', 'paths', null, '192.0.2.1', now())`,
  `insert into provisioning_orders (id, license_id, plan, provider, server_type, image, locations, location, ssh_keys, hostname, state, state_since,
     next_run_at, provider_name, nonce, monthly_minor, currency, license_key, created_at, updated_at)
    values ('pord_1', 'lic', 'small', 'hetzner', 'cx22', 'debian-12', '["fsn1"]', 'fsn1', '["a \\"b\\""]', 'web-1', 'reserving', now(),
     'infinity', 'svc-1', '0123abcd', 600, 'EUR', 'v1:k1:x', now(), now())`,
  `insert into provisioning_events values ('pord_1', 1, now(), 'requested', 'pricing', 'validate', 'advanced', 200, 'c', 'x "y" N')`,
  `insert into provisioning_reservations values ('pord_1', 600, 'EUR', null)`,
  `insert into provisioning_budget values (1, 'cp-1', 5000, 'EUR')`,
  `insert into provisioning_catalog values ('small', 'hetzner', 'cx22', '["fsn1"]', 'debian-12', '["ops"]', 600, 'EUR', true)`,
  `insert into provider_credentials values ('hetzner', 'v1:k1:y', 'digest', 'verified', now(), null)`,
  `insert into license_calls select id, 'scan', date '2026-01-05', 2, now() from licenses limit 1`,
  `insert into second_factors values ('adm_1', 'A2B3', now(), null, 0, array['x', 'NULL', '', 'a,"b"\\'])`,
]

/** Fills a new data folder with rows in every table. */
export async function filledFolder(dataDir: string): Promise<FilledFolder> {
  await embeddedFolder(dataDir)
  const clock = new FakeClock(new Date())
  const filled = await fill(
    dataDir,
    testPlane({ storage: await openStorage({ dataDir }), clock, env: LONG_LEASE }),
  )
  const driver = await pgliteDriver({ dataDir: join(dataDir, 'database') })
  for (const text of MORE_ROWS) await driver.rows({ name: '', text }, [])
  await driver.close()
  return filled
}

async function fill(dataDir: string, test: TestPlane): Promise<FilledFolder> {
  await using open = test
  const { plane, clock, dns } = open
  const run = (name: string, input: object) => plane.operations.run(name, input, AWKWARD.replace(/\W/g, ''))
  const { id: tenantId } = await plane.tenants.add('acme')
  const { license, key } = await plane.licenses.issue({ tenantId, label: AWKWARD })
  await run('users.add', { email: 'ada@svc.example', role: 'super_admin' })
  await run('users.add', { email: 'eve@acme.example', role: 'owner', tenant: 'acme' })
  const owner = { licenseId: license.id, fingerprint: HOST.fingerprint }
  const heartbeat = { ...buildHeartbeat({ ...owner, hostname: HOST.hostname, diskPct: 95.5 }), jobs: [] }
  await plane.agents.heartbeat(heartbeat)
  await plane.images.register(license.id, {
    fingerprint: HOST.fingerprint,
    checksum: 'a-snapshot',
    tags: [AWKWARD.slice(0, 9)],
  })
  const deploy = async (app: string, more: object = {}) => {
    const payload = { app, source: { type: 'image', image: 'shop:1' }, note: AWKWARD }
    return (await plane.jobs.enqueue({ licenseId: license.id, kind: 'deploy', payload, ...more })).job.id
  }
  const held = await deploy('shop')
  await plane.jobs.claim({ ...owner, claimKey: 'claim-1' })
  const log = { ...owner, jobId: held, attempt: undefined, offset: undefined, idempotencyKey: 'key-1' }
  const long = Array.from({ length: 200 }, (_, at) => ({ ts: at, line: `${at} ${'long '.repeat(at)}` }))
  await plane.jobs.appendLogs({ ...log, lines: [{ ts: 1, line: AWKWARD }, ...long] })
  await overtake(test, owner, deploy)
  const behind = await deploy('shop')
  const urgent = await deploy('other', { urgent: true })
  dns.answer('www.acme.example', '192.0.2.1')
  await run('monitors.add', { name: 'www', host: 'www.acme.example', type: 'A' })
  await run('monitors.run', { monitor: 'www' })
  await run('alerts.webhook-set', { tenant: 'acme', url: 'https://hooks.acme.example/svc' })
  await run('email-domains.add', { name: 'mail.acme.example', license: license.id })
  await run('tokens.issue', { role: 'developer', tenant: 'acme', label: 'pipeline' })
  for (const minutes of [1, 1]) {
    clock.advance({ minutes })
    await plane.scheduler.tick()
  }
  const { cookie } = (await run('sessions.mint', { email: 'ada@svc.example' })) as unknown as {
    cookie: string
  }
  const conversation = await talk(test)
  return { dataDir, licenseId: license.id, key, cookie, held, behind, urgent, conversation }
}

/**
 * Leaves two jobs with one serial key, the later one held, the earlier one waiting: triggers that saw the
 * rows in their order would let the later one wait.
 */
async function overtake(
  { plane }: TestPlane,
  owner: { readonly licenseId: string; readonly fingerprint: string },
  deploy: (app: string, more?: object) => Promise<string>,
): Promise<void> {
  const claim = () => plane.jobs.claim({ ...owner, claimKey: undefined })
  const first = await deploy('blog')
  await claim()
  await deploy('blog')
  const urgent = await deploy('blog', { urgent: true })
  const report = { ...owner, attempt: undefined, exitCode: 0, error: undefined }
  await plane.jobs.report({ ...report, jobId: first, state: 'succeeded' })
  if ((await claim()).job?.id !== urgent) throw new Error('the urgent job was not next')
}

async function talk({ plane }: TestPlane): Promise<string> {
  const incoming = {
    conversationId: undefined,
    sessionId: 'visitor',
    category: undefined,
    contact: undefined,
  }
  const events = await plane.chat.converse({ ...incoming, message: AWKWARD }, new AbortController().signal)
  let id = ''
  for await (const event of events ?? []) if (event.type === 'meta') id = event.conversationId
  await plane.chat.reply(id, 'a word')
  return id
}
