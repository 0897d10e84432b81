import { spawnSync } from 'node:child_process'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { MONITOR_STATES, TASKS } from '@svc/core/ports'
import { FakeClock, FakeTimers, memoryStorage, pgliteStorage } from '@svc/testing'
import { byListen, type Mounted, mounted } from '../../../../test/support/mounted.ts'

/** A sample of the exposition: `name{label="value"} 1`. */
const SAMPLE = /^([a-z_][\w:]*)(?:\{(.*)\})? (\S+)$/i

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const samplesOf = (text: string): readonly Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })

const JOB_KINDS = [
  'deploy',
  'redeploy',
  'stop',
  'remove',
  'db',
  'restore',
  'firewall',
  'prune',
  'expose',
  'unexpose',
  'backup',
]

/** The metric families of the specification, with the values of their labels (docs/reference/metrics.md). */
const FAMILIES: readonly (readonly [string, Readonly<Record<string, readonly string[]>>])[] = [
  ['svc_uptime_seconds', {}],
  ['svc_rate_limit_backend_info', { backend: ['memory', 'postgres'] }],
  ['svc_scheduler_runs_total', { task: TASKS }],
  ['svc_scheduler_last_run_timestamp_seconds', { task: TASKS }],
  ['svc_scheduler_last_success_timestamp_seconds', { task: TASKS }],
  ['svc_scheduler_run_duration_seconds_count', { task: TASKS }],
  ['svc_jobs', { state: ['pending', 'claimed', 'running'] }],
  ['svc_jobs_oldest_claimable_seconds', {}],
  ['svc_jobs_claimed_total', { kind: JOB_KINDS, how: ['new', 'reclaimed', 'repeated'] }],
  [
    'svc_jobs_finished_total',
    { kind: JOB_KINDS, state: ['succeeded', 'failed'], cause: ['reported', 'lost', 'cancelled'] },
  ],
  ['svc_job_wait_seconds_count', { kind: JOB_KINDS }],
  ['svc_job_run_seconds_count', { kind: JOB_KINDS }],
  ['svc_job_fenced_writes_total', { route: ['status', 'logs'], reason: ['not-owner'] }],
  ['svc_job_log_lines_total', {}],
  ['svc_image_registrations_total', { outcome: ['created', 'known', 'different', 'not-owned'] }],
  ['svc_images_pruned_total', {}],
  ['svc_transfer_keys_minted_total', {}],
  [
    'svc_transfer_redemptions_total',
    { outcome: ['redeemed', 'invalid', 'not-for-host', 'pin-rejected', 'ended'] },
  ],
  ['svc_surface_scans_total', { state: ['done', 'partial', 'failed', 'aborted'] }],
  ['svc_surface_scans_running', {}],
  ['svc_console_pages', {}],
  ['svc_agents', { state: ['online', 'offline', 'unknown', 'other'] }],
  ['svc_heartbeats_total', {}],
  ['svc_hosts_refused_total', {}],
  [
    'svc_alerts',
    { status: ['firing', 'acknowledged', 'snoozed', 'resolved'], severity: ['critical', 'warning', 'info'] },
  ],
  ['svc_monitors', { state: MONITOR_STATES }],
  ['svc_node_security_hosts', { state: ['as_told', 'waiting', 'failed', 'rolled_back'] }],
  ['svc_chat_answers_total', { engine: ['llm', 'canned', 'none'] }],
  ['svc_db_up', {}],
  ['svc_db_oldest_transaction_seconds', {}],
  ['svc_db_pool_connections', { state: ['used', 'idle', 'waiting'] }],
]
const FACTS = new Set(['svc_uptime_seconds', 'svc_rate_limit_backend_info', 'svc_db_up'])

const setsOf = (labels: Readonly<Record<string, readonly string[]>>): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (sets, [label, values]) => sets.flatMap((set) => values.map((value) => ({ ...set, [label]: value }))),
    [{}],
  )

const spelled = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))

const promtool = spawnSync('promtool', ['--version']).error === undefined ? it : it.skip

/** Checks an exposition with promtool; returns its output and status. */
function promtoolOn(input: string) {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input,
    encoding: 'utf8',
  })
  return { error, status, said: `${stdout}${stderr}` }
}

describe('the exposition of a live plane over an embedded PostgreSQL', () => {
  let plane: Mounted
  let text = ''
  let samples: readonly Sample[] = []

  beforeAll(async () => {
    plane = await mounted(byListen(), { storage: await pgliteStorage() })
    text = (await plane.send({ path: '/metrics' })).text
    samples = samplesOf(text)
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  it.each(FAMILIES)('%s has each of its label sets from the start, and no other', (name, labels) => {
    const found = samples.filter((sample) => sample.name === name)
    expect(found.map((sample) => spelled(sample.labels)).sort()).toEqual(setsOf(labels).map(spelled).sort())
    if (!FACTS.has(name)) expect(found.map(({ value }) => value)).toEqual(found.map(() => 0))
  })

  it('says the build, and the limits and requests of each route', () => {
    expect(text).toMatch(/^svc_build_info\{version="\d+\.\d+\.\d+",node="[\d.]+"\} 1$/m)
    const limited = samples.filter(({ name }) => name === 'svc_rate_limit_rejected_total')
    const routes = limited.map(({ labels }) => labels.route)
    expect(routes).toEqual(expect.arrayContaining(['/v1/jobs/claim', '/api/chat', '/api/health/system']))
  })

  it('is at most 120 KB, and holds no figure that is none', async () => {
    expect(Buffer.byteLength(text)).toBeLessThan(120 * 1024)
    expect(text).not.toMatch(/nan$/im)
    expect(text).toContain('\nnodejs_heap_size_used_bytes ')
  })

  it('a route has durations from its first request on, and buckets if hosts ask it all the time', async () => {
    const before = plane.get('/v1/fleet/servers')
    expect(text).not.toContain('svc_http_request_duration_seconds_count{')
    await before
    await plane.post('/v1/jobs/claim', { fingerprint: 'web-1-0123456789' })
    const after = samplesOf((await plane.send({ path: '/metrics' })).text)
    const of = (name: string, route: string) =>
      after.filter(
        (sample) =>
          sample.name === `svc_http_request_duration_seconds_${name}` && sample.labels.route === route,
      )
    const lists = of('count', '/v1/fleet/servers')
    expect(lists).toMatchObject([{ labels: { method: 'GET', status: '200' }, value: 1 }])
    expect(of('sum', '/v1/fleet/servers')[0]?.value).toBeGreaterThan(0)
    expect(of('bucket', '/v1/fleet/servers').map(({ labels }) => labels.le)).toEqual(['+Inf'])
    const claims = of('bucket', '/v1/jobs/claim')
    expect(claims.length).toBeGreaterThan(10)
    expect(claims.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 1 })
  })

  it('the embedded database is up', () => {
    expect(samples.find(({ name }) => name === 'svc_db_up')?.value).toBe(1)
  })

  promtool('promtool accepts all of it, where it is installed', () => {
    expect(promtoolOn(text)).toEqual({ error: undefined, status: 0, said: '' })
  })

  it('every line is a comment or a sample, and only counters are named as such', () => {
    expect(samples.filter(({ name }) => name === '')).toEqual([])
    const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name)
    expect(gauges.filter((name) => name?.endsWith('_total'))).toEqual([])
    const counters = [...text.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name)
    expect(counters.filter((name) => !name?.endsWith('_total'))).toEqual([])
  })

  it('after traffic no label holds an id, a host, a key or a path of anybody', async () => {
    const secret = 'host-7f3a91'
    await plane.post('/v1/telemetry/heartbeat', { fingerprint: secret, hostname: secret, state: secret })
    await plane.post('/v1/jobs/claim', { fingerprint: secret })
    await plane.post(`/v1/jobs/${secret}/status`, { fingerprint: secret, state: 'running' })
    await plane.get(`/${secret}?key=${secret}`)
    await plane.send({
      method: 'POST',
      path: '/v1/jobs/claim',
      headers: { authorization: `Bearer ${secret}` },
    })
    await plane.send({ method: secret.toUpperCase(), path: '/healthz' }).catch(() => undefined)
    const after = (await plane.send({ path: '/metrics' })).text
    for (const word of [secret, secret.toUpperCase(), plane.key, plane.licenseId])
      expect(after).not.toContain(word)
    const words = new Set(samplesOf(after).flatMap(({ labels }) => Object.keys(labels)))
    for (const label of ['id', 'host', 'hostname', 'key', 'path', 'license', 'fingerprint', 'url']) {
      expect(words).not.toContain(label)
    }
    const grown = samplesOf(after).filter(({ name }) => !name.endsWith('_bucket')).length - samples.length
    expect(grown).toBeLessThan(60)
  })
})

describe('the exposition after traffic of every group', () => {
  const host = { fingerprint: 'web-1-0123456789', hostname: 'web-1' }
  let plane: Mounted
  let text = ''
  let samples: readonly Sample[] = []
  const sum = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((total, { value }) => total + value, 0)

  beforeAll(async () => {
    plane = await mounted(byListen(), { storage: await pgliteStorage() })
    await jobs()
    await alertsAndMonitors()
    await plane.send({
      method: 'POST',
      path: '/api/chat',
      body: JSON.stringify({ message: 'How do I install the agent?' }),
    })
    // More heartbeats than one host may send in a minute.
    for (let beat = 0; beat < 40; beat += 1) await plane.post('/v1/telemetry/heartbeat', host)
    text = (await plane.send({ path: '/metrics' })).text
    samples = samplesOf(text)
  })
  afterAll(() => plane[Symbol.asyncDispose]())

  /**
   * Runs one job that succeeds with one log line, and sends a status report from a host that does not own it.
   */
  async function jobs(): Promise<void> {
    await plane.plane.jobs.enqueue({ licenseId: plane.licenseId, kind: 'prune', payload: {} })
    const { body } = await plane.post('/v1/jobs/claim', host)
    const { job } = body as { readonly job: { readonly id: string } }
    await plane.post(`/v1/jobs/${job.id}/logs`, { ...host, lines: [{ ts: 1.5, line: 'pruned' }] })
    await plane.post(`/v1/jobs/${job.id}/status`, { fingerprint: 'another-host-01234', state: 'succeeded' })
    await plane.post(`/v1/jobs/${job.id}/status`, { ...host, state: 'succeeded' })
  }

  /** Opens an alert for a full disk and one for a drifted monitor, by running as many ticks as each needs. */
  async function alertsAndMonitors(): Promise<void> {
    const watched = {
      name: 'www',
      host: 'www.example.com',
      type: 'A',
      mode: 'expect',
      match: 'exact',
    } as const
    const often = { intervalSeconds: 60, confirmations: 1, resolvers: [] } as const
    const owner = { tenantId: undefined, licenseId: undefined }
    plane.dns.answer('www.example.com', '192.0.2.66')
    await plane.plane.monitors.add({ ...watched, ...often, ...owner, expected: ['192.0.2.1'] })
    for (let tick = 0; tick < 3; tick += 1) {
      await plane.post('/v1/telemetry/heartbeat', { ...host, disk_pct: 99 })
      await plane.plane.scheduler.tick()
      plane.clock.advance({ minutes: 1 })
    }
  }

  it.each([
    ['svc_jobs_claimed_total', { kind: 'prune', how: 'new' }],
    ['svc_jobs_finished_total', { kind: 'prune', state: 'succeeded' }],
    ['svc_job_log_lines_total', {}],
    ['svc_job_fenced_writes_total', {}],
    ['svc_agents', { state: 'online' }],
    ['svc_heartbeats_total', {}],
    ['svc_alerts', { status: 'firing' }],
    ['svc_monitors', { state: 'drifted' }],
    ['svc_scheduler_runs_total', { task: 'monitors' }],
    ['svc_chat_answers_total', { engine: 'canned' }],
    ['svc_rate_limit_rejected_total', { route: '/v1/telemetry/heartbeat' }],
    ['svc_http_request_duration_seconds_count', { route: '/v1/jobs/claim' }],
  ])('%s%j has counted', (name, labels) => {
    expect(sum(name, labels as Readonly<Record<string, string>>)).toBeGreaterThan(0)
  })

  promtool('promtool accepts all of it, where it is installed', () => {
    expect(promtoolOn(text)).toEqual({ error: undefined, status: 0, said: '' })
  })
})

describe('a scrape while the database is blocked', () => {
  let plane: Mounted | undefined
  afterEach(() => plane?.[Symbol.asyncDispose]())

  it('has its answer, and says that the database is not up', async () => {
    const hang = () => new Promise<never>(() => {})
    const whole = memoryStorage()
    let asked = 0
    const storage: Storage = {
      ...whole,
      jobs: {
        ...whole.jobs,
        counts: () => {
          asked += 1
          return hang()
        },
      },
      agents: { ...whole.agents, list: hang },
      alerts: { ...whole.alerts, counts: hang },
      monitors: { ...whole.monitors, counts: hang },
    }
    const clock = new FakeClock()
    const timers = new FakeTimers(clock)
    plane = await mounted(byListen(), { storage, clock, parts: { timers } })
    const first = plane.send({ path: '/metrics' })
    while (timers.waiting === 0) await turn()
    await timers.advance({ ms: 500 })
    expect(await first).toMatchObject({ status: 200, text: expect.stringContaining('\nsvc_db_up 0\n') })
    // The clock stands still from here on, so a scrape that waited for it would never end.
    const { status, text } = await plane.send({ path: '/metrics' })
    expect(status).toBe(200)
    expect(text).toContain('\nsvc_db_up 0\n')
    expect(text).toContain('\nsvc_jobs{state="pending"} 0\n')
    expect(asked).toBe(1)
  })
})
