/** How much a year of a large fleet leaves, at full size. */
const FULL = {
  hosts: 20_000,
  licenses: 800,
  tenants: 100,
  jobs: 3_000_000,
  deployments: 1_000_000,
  audit: 5_000_000,
  alerts: 200_000,
  conversations: 100_000,
  webhooks: 1_000_000,
  emails: 500_000,
  hooks: 800,
  pushes: 2_000_000,
  sessions: 1_000_000,
  images: 200_000,
} as const

/** Rows of each kind. */
export type YearSizes = Readonly<Record<keyof typeof FULL, number>>

/** Fewest rows of a kind that lists have a second page of. */
const FEWEST = 20

/** The fleet itself, which has no history. */
const FLEET: ReadonlySet<string> = new Set(['hosts', 'licenses', 'tenants', 'hooks'])

/**
 * Returns the sizes of a year at a scale, 1 is the full one: of the fleet, and of its history, which has
 * `fewest` rows of each kind at least.
 */
export const yearSizes = (fleet: number, history = fleet, fewest = FEWEST): YearSizes =>
  Object.fromEntries(
    Object.entries(FULL).map(([kind, rows]) => [
      kind,
      Math.max(fewest, Math.round(rows * (FLEET.has(kind) ? fleet : history))),
    ]),
  ) as unknown as YearSizes

/** The whole year before now, from the first row of a kind to its last. */
const at = (n: string, rows: number, less = '0 s'): string =>
  `now() - interval '365 days' + ${n}::float8 / ${rows} * interval '365 days' - interval '${less}'`
const id = (prefix: string, n: string): string => `'${prefix}_' || lpad((${n})::text, 26, '0')`
const rows = (count: number): string => `generate_series(0, ${count} - 1) as n`
/** A number below `below` that follows from `n` and has nothing to do with its order. */
const spread = (n: string, below: number): string => `((${n})::bigint * 7919 % ${below})`

/** Id of a tenant, a license and the fingerprint of a host by its number. */
export const yearTenant = (n: string): string => id('ten', n)
export const yearLicense = (n: string): string => id('lic', n)
export const yearHost = (n: string): string => `encode(sha256(('host ' || (${n}))::bytea), 'hex')`

/**
 * Returns the statements that fill a migrated database. 5 % of the jobs have failed, every twelfth belongs to
 * one app of the first license, and each has a log of ten lines.
 */
export function yearRows(sizes: YearSizes): readonly string[] {
  const { hosts, licenses, tenants, jobs } = sizes
  const license = yearLicense(spread('n', licenses))
  // Host `h` belongs to license `h % licenses`.
  const hostOf = (n: string) => `(${n}) - (${n}) % ${licenses} + ${spread('n', licenses)}`
  const host = `least(${hostOf(spread('n', Math.max(1, hosts - licenses)))}, ${hosts - 1})`
  const app = `case when n % 12 = 0 then 'shop' when n % 3 = 0 then 'app-' || n % 7 end`
  const failed = 'n % 20 = 7'
  return [
    `insert into tenants (id, name) select ${yearTenant('n')}, 'tenant-' || n from ${rows(tenants)}`,
    `insert into licenses (id, key_digest, tenant_id, label)
      select ${yearLicense('n')}, encode(sha256(('key ' || n)::bytea), 'hex'), ${yearTenant(`n % ${tenants}`)}, 'license ' || n
      from ${rows(licenses)}`,
    `insert into agents (license_id, fingerprint, hostname, state, version, cpu_pct, mem_pct, disk_pct, last_heartbeat, seq)
      select ${yearLicense(`n % ${licenses}`)}, ${yearHost('n')}, 'host-' || n, 'ok', '0.1.0', 12, 40, 55,
        now() - n % 50 * interval '1 second', 500000 from ${rows(hosts)}`,
    `insert into apps (id, license_id, name, created_at, updated_at)
      select 'app_' || substr(encode(sha256((${yearLicense('l')} || ' ' || name)::bytea), 'hex'), 1, 26), ${yearLicense('l')}, name, now(), now()
      from generate_series(0, ${licenses} - 1) as l, unnest(array['shop', 'app-1', 'app-2']) as name`,
    `insert into jobs (id, license_id, kind, state, payload, target, app, created_at, due_at, available_at, claimed_by,
        claimed_at, started_at, finished_at, attempt, max_attempts, timeout_seconds, exit_code, error)
      select ${id('job', 'n')}, license, case when app is null then 'prune' else 'deploy' end,
        case when failed then 'failed' else 'succeeded' end, '{"older_than_seconds": 86400}', host, app,
        made, made, made, host, made, made, made + interval '40 s', 1, 3, 3600,
        case when failed then 1 else 0 end, case when failed then 'exit 1' end
      from (select n, ${failed} as failed, ${at('n', jobs, '2 min')} as made,
          case when n % 12 = 0 then ${yearLicense('0')} else ${license} end as license,
          case when n % 12 = 0 then ${yearHost('0')} else ${yearHost(host)} end as host, ${app} as app from ${rows(jobs)}) j`,
    `insert into job_log_chunks (job_id, first_line, attempt, first_offset, next_offset, lines, accepted, job_chars, body, at)
      select ${id('job', 'n')}, 0, 1, 0, 10, 10, 10, 800, convert_to('{"ts":[1,2,3,4,5,6,7,8,9,10],"line":[' || rtrim(repeat('"' || md5(n::text) || '",', 10), ',') || ']}', 'utf8'), ${at('n', jobs)} from ${rows(jobs)}`,
    `insert into deployments (id, license_id, job_id, app, source, created_at, made_by)
      select 'dpl_' || substr(id, 5), license_id, id, app,
        json_build_object('type', 'git', 'sha', encode(sha256(id::bytea), 'hex')), created_at, 'ann@svc.example'
      from jobs where app is not null limit ${sizes.deployments}`,
    `insert into audit_log (id, at, actor, operation, input, outcome)
      select ${id('aud', 'n')}, ${at('n', sizes.audit)}, 'ann' || n % 50 || '@svc.example',
        (array['jobs.enqueue', 'fleet.drain', 'licenses.issue', 'apps.deploy'])[1 + n % 4], '{"license": "lic"}', 'ok'
      from ${rows(sizes.audit)}`,
    `insert into alerts (id, license_id, tenant_id, dedup_key, kind, severity, summary, details, count, flapping,
        starts_at, last_seen_at, resolved_at, resolved_by)
      select ${id('alr', 'n')}, ${license}, ${yearTenant(`${spread('n', licenses)} % ${tenants}`)}, 'host_offline:' || n % 5000, 'host_offline', 'critical',
        'host is silent', '{}', 1, false, ${at('n', sizes.alerts)}, ${at('n', sizes.alerts)}, ${at('n', sizes.alerts)}, 'system'
      from ${rows(sizes.alerts)}`,
    `insert into chat_conversations (id, session_id, mode, created_at, last_message_at, messages)
      select ${id('chat', 'n')}, '', 'ai', made, made, 4 from (select n, ${at('n', sizes.conversations)} as made from ${rows(sizes.conversations)}) c`,
    `insert into chat_messages (conversation_id, seq, id, role, text, created_at)
      select ${id('chat', 'n')}, seq, ${id('msg', 'n * 4 + seq')}, case when seq % 2 = 0 then 'visitor' else 'bot' end,
        'how do I restore a backup?', ${at('n', sizes.conversations)} from ${rows(sizes.conversations)}, generate_series(0, 3) as seq`,
    `insert into webhook_endpoints (id, license_id, tenant_id, url, description, events, max_age_seconds, secret, created_at, updated_at)
      select ${id('whe', 'n')}, ${yearLicense('n')}, ${yearTenant(`n % ${tenants}`)}, 'https://hooks.example/' || n, '', array['job.failed'], 86400,
        'v1:k1:AAECAwQFBgcICQoL:fn3ZWi8:vEg7UR6XAQafPMJeu6xJWg', now(), now() from ${rows(licenses)}`,
    `insert into webhook_messages (id, license_id, type, body, occurred_at)
      select ${id('evt', 'n')}, ${license}, 'job.failed', repeat('x', 400), ${at('n', sizes.webhooks)} from ${rows(sizes.webhooks)}`,
    `insert into deliveries (id, kind, recipient, state, attempts, created_at, due_at, settled_at, status, payload)
      select ${id('dlv', 'n')}, 'webhook', ${id('whe', spread('n', licenses))}, 'sent', 1, made, made, made, 200, ${id('evt', 'n')}
      from (select n, ${at('n', sizes.webhooks)} as made from ${rows(sizes.webhooks)}) d`,
    `insert into delivery_attempts (delivery_id, n, at, duration_ms, status, response)
      select ${id('dlv', 'n')}, 1, ${at('n', sizes.webhooks)}, 90, 200, 'ok' from ${rows(sizes.webhooks)}`,
    `insert into email_domains (id, owner, name, selector, dkim_key, dkim_public, status)
      select ${id('dom', 'n')}, ${yearLicense('n')}, 'mail-' || n || '.example', 'sel' || n, 'v1:k1:AAECAwQFBgcICQoL:fn3ZWi8:vEg7UR6XAQafPMJeu6xJWg',
        'public', 'verified' from ${rows(licenses)}`,
    `insert into email_messages (id, owner, kind, domain_id, from_address, state, created_at, settled_at)
      select ${id('eml', 'n')}, ${license}, 'api', ${id('dom', spread('n', licenses))}, 'shop@acme.example', 'sent', made, made
      from (select n, ${at('n', sizes.emails)} as made from ${rows(sizes.emails)}) m`,
    `insert into email_recipients (message_id, address, position, role, state)
      select ${id('eml', 'n')}, 'person' || n || '@mail.example', 0, 'to', 'accepted' from ${rows(sizes.emails)}`,
    `insert into git_hooks (id, license_id, app, fingerprint, provider, repo_url, branch, paths, paths_ignore, enabled,
        cancel_in_progress, allow_skip, clone_kind)
      select ${id('hook', 'n')}, ${yearLicense(`n % ${licenses}`)}, 'shop', ${yearHost('n')}, 'github', 'https://git.example/shop.git', 'main',
        '[]', '[]', true, true, true, 'none' from ${rows(sizes.hooks)}`,
    `insert into git_deliveries (id, hook_id, delivery_id, body_sha256, provider, event, ref, outcome, address, received_at)
      select ${id('gdl', 'n')}, ${id('hook', spread('n', sizes.hooks))}, 'delivery-' || n, md5(n::text), 'github', 'push', 'refs/heads/main',
        'queued', '203.0.113.9', ${at('n', sizes.pushes)} from ${rows(sizes.pushes)}`,
    `insert into access_sessions (id, license_id, fingerprint, hostname, operator_kind, operator_label, mode, cols, rows, term, reason, ip, relay,
        state, operator_jti, created_at, expires_at, ended_at, end_reason)
      select ${id('acc', 'n')}, ${license}, ${yearHost(host)}, 'host', 'user', 'ann', 'pty', 80, 24, 'xterm', 'look', '203.0.113.9', 'wss://relay.example',
        'ended', 'jti-' || n, made, made, made, 'client' from (select n, ${at('n', sizes.sessions)} as made from ${rows(sizes.sessions)}) s`,
    `insert into images (id, license_id, fingerprint, repo, checksum, engine, kind, app, hostname, captured_at, paths, tags, state, first_seen_at, last_seen_at)
      select ${id('img', 'n')}, ${yearLicense(`${host} % ${licenses}`)}, ${yearHost(host)}, 'main', md5(n::text), 'restic', 'snapshot', 'shop', 'host', made,
        array['/data'], array[]::text[], 'available', made, made from (select n, ${at('n', sizes.images)} as made from ${rows(sizes.images)}) i`,
  ]
}
