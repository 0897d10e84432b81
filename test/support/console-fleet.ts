import type { Mounted } from './mounted.ts'

type Person = Awaited<ReturnType<Mounted['plane']['users']['add']>>

/** A fleet with something on every page of the console. */
export interface ConsoleFleet {
  readonly admin: Person
  /** Owner of the tenant `acme`. */
  readonly owner: Person
  /** Id of the license of each tenant. */
  readonly licenses: Readonly<Record<'acme' | 'globex', string>>
  /** Lets a host, by its number, report with further fields. */
  beat(at: number, fields: object): Promise<unknown>
  /** Appends a line to the log of the running job. */
  log(job: string, line: string): Promise<unknown>
  /** Lets the running job succeed. */
  end(job: string): Promise<unknown>
  /** A job of each state, by state. */
  readonly jobs: Readonly<Record<'succeeded' | 'failed' | 'running' | 'pending', string>>
}

/** Password of every person of the fleet. */
export const FLEET_PASSWORD = 'correct horse battery'

/** The host that works. */
const HOST = '0002-fingerprint-of-host-0002'
const HOSTS = 40
/** Every so many hosts fall silent. */
const SILENT = 13

const LOG = [
  'fetch  github.com/acme/shop 3f9c2b7',
  'build  npm ci && npm run build',
  '\u001b[32m✓\u001b[0m 214 modules transformed',
  'start  web.1 on 127.0.0.1:20114',
  'healthy after 1.2 s',
  'switch web: release 12 takes visitors',
]

/**
 * Fills a plane with two tenants, their hosts, jobs, apps and alerts. The clock moves on by some minutes.
 * `odd`: a text that stands in every field which others fill.
 */
export async function consoleFleet(served: Mounted, odd = ''): Promise<ConsoleFleet> {
  const { plane, clock } = served
  const run = (name: string, input: object) => plane.operations.run(name, input, 'fleet')
  const person = async (email: string, role: string, tenantId?: string) => {
    return plane.users.add({ email, role, tenantId, password: FLEET_PASSWORD })
  }
  const licenseOf = async (name: string, tenant: string) => {
    const answer = await run('licenses.issue', { tenant, label: `${name} production${odd}`.slice(0, 128) })
    return { id: (answer.license as { id: string }).id, key: String(answer.key) }
  }
  const tenantOf = async (name: string) => ((await run('tenants.add', { name })).tenant as { id: string }).id
  const acme = await tenantOf('acme')
  const globex = await tenantOf('globex')
  const admin = await person('ada@svc.example', 'super_admin')
  const owner = await person('olga@acme.example', 'owner', acme)
  const ours = await licenseOf('acme', acme)
  const theirs = await licenseOf('globex', globex)
  const post = async (key: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return served.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
  }
  const keyOf = (at: number) => (at % 2 === 0 ? ours.key : theirs.key)
  const fingerprint = (at: number) => `fingerprint-of-host-${String(at).padStart(4, '0')}`
  const beat = (at: number, fields: object = {}) =>
    post(keyOf(at), '/v1/telemetry/heartbeat', {
      fingerprint: `${String(at).padStart(4, '0')}-${fingerprint(at)}`,
      hostname: `${at % 2 === 0 ? 'web' : 'db'}-${at}${at === 2 ? odd : ''}`,
      version: '0.1.0',
      cpu_pct: (at * 7) % 90,
      mem_pct: 20 + ((at * 11) % 70),
      disk_pct: at === 4 ? 96 : 30 + ((at * 5) % 50),
      disk_total_gb: 80,
      ...fields,
    })
  const beats = async (which: (at: number) => boolean) => {
    for (let at = 0; at < HOSTS; at += 1) if (which(at)) await beat(at)
  }
  await beats(() => true)
  clock.advance({ minutes: 6 })
  await beats((at) => at % SILENT !== 0)
  await plane.scheduler.tick()

  for (const name of ['shop', 'blog', 'api']) {
    const repo_url = `https://git.example/acme/${name}.git`
    await run('apps.create', { name, license: ours.id, host: `agt_${HOST.slice(0, 12)}`, repo_url })
  }
  await run('apps.env-set', {
    app: 'shop',
    license: ours.id,
    variables: [{ name: 'DATABASE_PASSWORD', value: 'a value that nobody reads again' }],
  })
  const enqueue = async (kind: string, app: string, payload: object = {}) => {
    const answer = await run('jobs.enqueue', { kind, license: ours.id, payload: { app, ...payload } })
    return (answer.job as { id: string }).id
  }
  const work = async (outcome?: 'succeeded' | 'failed', error?: string) => {
    const claimed = await post(ours.key, '/v1/jobs/claim', { fingerprint: HOST, apps: 1 })

    if (claimed.status !== 200) throw new Error(`no job: ${claimed.status} ${claimed.text}`)
    const { id } = (claimed.body as { job: { id: string } }).job
    await post(ours.key, `/v1/jobs/${id}/status`, { fingerprint: HOST, state: 'running' })
    await post(ours.key, `/v1/jobs/${id}/logs`, {
      fingerprint: HOST,
      lines: [...LOG, ...(odd === '' ? [] : [odd])].map((line) => ({
        ts: clock.now().getTime() / 1000,
        line,
      })),
    })
    clock.advance({ seconds: 14 })
    if (outcome !== undefined) {
      const status = {
        fingerprint: HOST,
        state: outcome,
        ...(error !== undefined && { error: `${error}${odd}` }),
      }
      await post(ours.key, `/v1/jobs/${id}/status`, status)
    }
    return id
  }
  for (let at = 0; at < 6; at += 1) {
    await enqueue('stop', 'blog')
    await work('succeeded')
  }
  await enqueue('stop', 'shop')
  const succeeded = await work('succeeded')
  await enqueue('stop', 'shop')
  const failed = await work('failed', 'web.1 answered 500 to GET /up for 30 s')
  await enqueue('stop', 'api')
  const running = await work()
  const pending = await enqueue('stop', 'shop')
  await plane.scheduler.tick()
  return {
    admin,
    owner,
    licenses: { acme: ours.id, globex: theirs.id },
    jobs: { succeeded, failed, running, pending },
    beat,
    log: (job, line) =>
      post(ours.key, `/v1/jobs/${job}/logs`, { fingerprint: HOST, lines: [{ ts: 1, line }] }),
    end: (job) => post(ours.key, `/v1/jobs/${job}/status`, { fingerprint: HOST, state: 'succeeded' }),
  }
}
