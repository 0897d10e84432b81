import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { testDatabase } from '@svc/testing'
import pg from 'pg'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

const PLANTED = {
  SERVICE_LICENSE_PRIVKEY: Buffer.from('planted signing seed, 32 bytes..').toString('base64url'),
  SERVICE_SESSION_SECRET: 'planted-session-secret-of-a-process-0123456789',
  MONITORS_CRON_SECRET: 'planted-cron-secret-of-a-process',
  SERVICE_METRICS_TOKEN: 'planted-metrics-token-of-a-process',
  SERVICE_HEALTH_TOKEN: 'planted-health-token-of-a-process',
  SERVICE_LICENSE_KEYS: 'planted-listed-license-key-of-a-process',
  LLM_API_KEY: 'planted-model-key-of-a-process',
  // Nothing listens there: the message about the failure must not name the key.
  LLM_BASE_URL: 'http://127.0.0.1:9/v1',
  LLM_MODEL: 'none',
}

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

async function dumped(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'")
    const dumps: unknown[] = []
    for (const { tablename } of rows) {
      dumps.push((await client.query(`select t::text as row from "${tablename}" t`)).rows)
    }
    return JSON.stringify(dumps)
  } finally {
    await client.end()
  }
}

test('A server that logs everything and the commands beside it write no secret to a log, to stderr or into a table', async () => {
  await using database = await testDatabase(process.env.SVC_TEST_POSTGRES ?? '')
  const env = { ...PLANTED, DATABASE_URL: database.url, SERVICE_LOG_LEVEL: 'trace', NODE_ENV: 'production' }
  const parts = { cwd, env }
  await using server = new SvcProcess(['serve', '--port', '0', '--migrate', '--tick', '1'], parts)
  const url = await server.serving()
  const { key } = await jsonHere<{ key: string }>(['licenses', 'issue'], parts)
  await jsonHere(['users', 'add', 'ada@example.com', '--role', 'super_admin'], parts)
  const { cookie } = await jsonHere<{ cookie: string }>(['sessions', 'mint', 'ada@example.com'], parts)
  const said: string[] = []
  for (const args of [
    ['jobs', 'enqueue', 'prune', '--license', key],
    ['jobs', 'list', '--license', `${key}x`],
    ['licenses', 'suspend', `${key}x`],
    ['fleet', 'servers', '--url', url, '--key', `${key}x`],
    ['fleet', 'servers', '--url', url, '--key', key],
    ['jobs', 'show', key],
    ['audit', 'list'],
    ['doctor'],
  ]) {
    const { out, err } = await runSvc(args, parts)
    said.push(out, err)
  }
  const tries: readonly (readonly [string, RequestInit])[] = [
    ['/v1/fleet/servers', { headers: { authorization: `Bearer ${key}` } }],
    ['/api/v1/operations', { headers: { cookie } }],
    [`/api/v1/monitors/run?key=${PLANTED.MONITORS_CRON_SECRET}`, {}],
    ['/metrics', { headers: { authorization: `Bearer ${PLANTED.SERVICE_METRICS_TOKEN}` } }],
    ['/api/health/system', { headers: { authorization: `Bearer ${PLANTED.SERVICE_HEALTH_TOKEN}` } }],
    [
      '/v1/telemetry/heartbeat',
      { method: 'POST', body: `{"key":"${key}`, headers: { authorization: `Bearer ${key}` } },
    ],
    ['/v1/license/activate', { method: 'POST', body: JSON.stringify({ key: PLANTED.SERVICE_LICENSE_KEYS }) }],
    ['/login', { method: 'POST', body: JSON.stringify({ email: key, password: cookie }) }],
    [
      '/api/chat',
      { method: 'POST', body: JSON.stringify({ message: `How do I install the agent with ${key}?` }) },
    ],
    [`/${key}`, {}],
  ]
  for (const [path, init] of tries) said.push(await (await fetch(url + path, init)).text())
  server.kill('SIGTERM')
  expect(await server.end()).toBe(0)
  const places = { log: server.err.text, output: server.out.text, rows: await dumped(database.url) }
  const { LLM_BASE_URL: _address, LLM_MODEL: _name, ...settings } = PLANTED
  const secrets = {
    ...settings,
    key,
    ...Object.fromEntries(
      cookie
        .split(/[.=]/)
        .slice(-2)
        .map((part, index) => [`cookie ${index}`, part]),
    ),
    'database password': new URL(database.url).password,
  }
  expect(places.log).toContain('"route":"/v1/fleet/servers"')
  for (const [place, text] of Object.entries({ ...places, answers: said.join('\n') })) {
    for (const [name, secret] of Object.entries(secrets)) {
      expect([place, name, secret !== '' && text.includes(secret)]).toEqual([place, name, false])
    }
  }
}, 180_000)
