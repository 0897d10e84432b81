// Actions that may happen a certain number of times happen exactly that often, however many requests race: 64
// identical requests in parallel through sockets, to two replicas over one PostgreSQL.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type ControlPlane, createControlPlane, ofLicense, PLATFORM, readConfig } from '@svc/core'
import { Keyring, placeOf } from '@svc/core/ports'
import { openStorage } from '@svc/core/sql'
import {
  buildUser,
  FakeClock,
  migratedDatabase,
  oneTimeCode,
  quickPasswordHash,
  TEST_ENVIRONMENT,
} from '@svc/testing'
import { type Answer, exchange, type Sent } from '../../../../test/support/exchange.ts'
import { createApp, listen } from '../../src/index.ts'

const AT_ONCE = 64
const ENV = {
  ...TEST_ENVIRONMENT,
  SERVICE_RATE_LIMIT_BACKEND: 'postgres',
  SERVICE_PUBLIC_URL: 'https://svc.example',
}
const PASSWORD = 'a password of these tests'

/** One of two control planes over one database, with random ids as in separate processes. */
interface Replica extends AsyncDisposable {
  readonly plane: ControlPlane
  send(sent: Sent): Promise<Answer>
}

async function replica(url: string, clock: FakeClock): Promise<Replica> {
  const storage = await openStorage({ url, poolSize: 16 })
  const plane = createControlPlane({ config: readConfig(ENV), storage, clock })
  const where = { host: '127.0.0.1', port: 0, health: plane.health }
  const server = await listen(createApp(plane), where)
  return {
    plane,
    send: (sent) => exchange(server.port, sent),
    [Symbol.asyncDispose]: async () => {
      await server.cut()
      await storage[Symbol.asyncDispose]()
    },
  }
}

describe(`64 identical requests at once to two replicas on PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`, () => {
  const clock = new FakeClock()
  const stack = new AsyncDisposableStack()
  let replicas: readonly Replica[]
  let cookie: string

  beforeAll(async () => {
    const database = stack.use(await migratedDatabase(process.env.SVC_TEST_POSTGRES ?? ''))
    replicas = [stack.use(await replica(database.url, clock)), stack.use(await replica(database.url, clock))]
    const { plane } = one()
    const staff = { role: 'super_admin', tenantId: undefined }
    const admin = await plane.users.add({ ...staff, email: 'admin@svc.example', password: undefined })
    await plane.users.add({ ...staff, email: 'known@svc.example', password: PASSWORD })
    await plane.storage.users.change(admin.id, { passwordHash: quickPasswordHash(PASSWORD) })
    cookie = (await plane.sessions.mint(admin)).cookie
  }, 60_000)
  afterAll(() => stack.disposeAsync())

  const one = (): Replica => replicas[0] as Replica

  /**
   * Sends the same request `AT_ONCE` times at once, to each replica in turn; `addressOf` gives the client
   * address of each.
   */
  const rush = (sent: Sent, addressOf: (index: number) => string = () => '192.0.2.1'): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        (replicas[index % replicas.length] as Replica).send({
          ...sent,
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': addressOf(index),
            ...sent.headers,
          },
        }),
      ),
    )
  const apart = (index: number) => `2001:db8:${index}::1`
  const counted = (answers: readonly Answer[]) => {
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
  // Claims of one host go one after the other: on a slow machine some are told to come again.
  const BUSY = 503
  const post = (path: string, body: object, headers: Sent['headers'] = {}): Sent => ({
    method: 'POST',
    path,
    headers,
    body: JSON.stringify(body),
  })
  const operation = (name: string, input: object): Sent =>
    post(`/api/v1/operations/${name}`, input, { cookie })
  const bodies = <Body>(answers: readonly Answer[]) =>
    answers.filter(({ status }) => status === 200).map(({ body }) => body as Body)
  async function license() {
    const { license: made, key } = await one().plane.licenses.issue({})
    return { id: made.id, bearer: { authorization: `Bearer ${key}` } }
  }

  it('of 7 jobs each is claimed once, and 60 of the requests are within the limit', async () => {
    const { id, bearer } = await license()
    for (let index = 0; index < 7; index += 1) {
      await one().plane.jobs.enqueue({ licenseId: id, kind: 'prune', payload: {} })
    }
    const answers = await rush(post('/v1/jobs/claim', { fingerprint: 'fp' }, bearer))
    const { [BUSY]: busy = 0, 204: none = 0, ...others } = counted(answers)
    expect({ ...others, none: none + busy }).toEqual({ 200: 7, none: 53, 429: 4 })
    expect(new Set(bodies<{ job: { id: string } }>(answers).map(({ job }) => job.id)).size).toBe(7)
  })

  it('one claim key gets one job', async () => {
    const { id, bearer } = await license()
    for (let index = 0; index < 3; index += 1) {
      await one().plane.jobs.enqueue({ licenseId: id, kind: 'prune', payload: {} })
    }
    const headers = { ...bearer, 'idempotency-key': 'once' }
    const answers = await rush(post('/v1/jobs/claim', { fingerprint: 'fp' }, headers))
    const jobs = bodies<{ job: { id: string } }>(answers)
    const { [BUSY]: busy = 0 } = counted(answers)
    expect(jobs.length + busy).toBe(60)
    expect(new Set(jobs.map(({ job }) => job.id)).size).toBe(1)
    expect(await one().plane.jobs.list(ofLicense(id), { state: 'pending', limit: 10 })).toHaveLength(2)
  })

  it('a job ends once, and what a repeat sends into its log is stored once', async () => {
    const { id: licenseId, bearer } = await license()
    const { job } = await one().plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    await one().plane.jobs.claim({ licenseId, fingerprint: 'fp', claimKey: undefined })
    const host = { fingerprint: 'fp', attempt: 1 }
    const lines = [{ ts: 1, line: 'said once' }]
    const byOffset = await rush(post(`/v1/jobs/${job.id}/logs`, { ...host, lines, offset: 0 }, bearer))
    expect(counted(byOffset)).toEqual({ 200: AT_ONCE })
    expect(await one().plane.jobs.logs(job.id, 0, 10)).toHaveLength(1)
    const keyed = { ...bearer, 'idempotency-key': 'once' }
    await rush(post(`/v1/jobs/${job.id}/logs`, { ...host, lines: [{ ts: 2, line: 'by key' }] }, keyed))
    expect(await one().plane.jobs.logs(job.id, 0, 10)).toHaveLength(2)
    expect(
      counted(await rush(post(`/v1/jobs/${job.id}/status`, { ...host, state: 'succeeded' }, bearer))),
    ).toEqual({ 200: AT_ONCE })
    const finished = await Promise.all(replicas.map(({ plane }) => plane.metrics.exposition()))
    const ends = finished.join('\n').match(/^svc_jobs_finished_total\{[^}]*\} (\d+)$/gm) ?? []
    const total = ends.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    expect(total).toBe(1)
  })

  it.each([
    ['10 activations of one address', '/v1/license/activate', { key: 'none' }, { 403: 10, 429: 54 }],
    ['5 sign-ins of one address', '/login', { email: 'x@svc.example', password: 'x' }, { 401: 5, 429: 59 }],
    ['15 chat messages of one address', '/api/chat', { message: 'hello' }, { 200: 15, 429: 49 }],
  ])(
    '%s pass in a minute',
    async (_title, path, body, wanted) => {
      expect(counted(await rush(post(path, body)))).toEqual(wanted)
    },
    60_000,
  )

  it('10 sign-ins into one account pass in a quarter of an hour, from however many addresses', async () => {
    const body = { email: 'Known@svc.example', password: `${PASSWORD}.` }
    expect(counted(await rush(post('/login', body), apart))).toEqual({ 401: 10, 429: 54 })
  }, 60_000)

  it('a one-time code signs in once, from however many addresses', async () => {
    const { plane } = one()
    const made = buildUser({ email: 'coded@svc.example', passwordHash: quickPasswordHash(PASSWORD) })
    await plane.storage.users.add(made)
    const user = await plane.users.resolve(made.email)
    const { secret } = await plane.secondFactors.begin(user, PASSWORD)
    const code = () => oneTimeCode(secret, clock.now())
    await plane.secondFactors.confirm(user, code(), '')
    clock.advance({ seconds: 30 })
    const body = { email: made.email, password: PASSWORD, code: code() }
    expect(counted(await rush(post('/login', body), apart))).toEqual({ 200: 1, 401: 9, 429: 54 })
  })

  it('users.add: an email is given once, and ten tries to confirm pass in a quarter of an hour', async () => {
    const input = { email: 'twice@svc.example', role: 'viewer', confirmation: { current: PASSWORD } }
    expect(counted(await rush(operation('users.add', input), apart))).toEqual({ 200: 1, 409: 9, 429: 54 })
  })

  it.each([
    ['tenants.add', { name: 'twice' }],
    ['monitors.add', { name: 'twice', host: 'example.com', type: 'A' }],
  ])('%s: a name is given once, all others hear of a conflict', async (name, input) => {
    expect(counted(await rush(operation(name, input)))).toEqual({ 200: 1, 409: 63 })
  })

  it('a dedupe key makes one job', async () => {
    const { id } = await license()
    const input = { kind: 'prune', license: id, dedupe_key: 'nightly' }
    const made = bodies<{ job: { id: string }; created: boolean }>(
      await rush(operation('jobs.enqueue', input)),
    )
    expect(made).toHaveLength(AT_ONCE)
    expect(made.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(made.map(({ job }) => job.id)).size).toBe(1)
  })

  it('a waiting job is ended by one cancel', async () => {
    const { id: licenseId } = await license()
    const { job } = await one().plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    const answers = bodies<{ effect: string }>(await rush(operation('jobs.cancel', { job: job.id })))
    expect(answers).toHaveLength(AT_ONCE)
    expect(answers.filter(({ effect }) => effect === 'ended')).toHaveLength(1)
  })

  it("a webhook's first secret is told to one, and it is the one that is kept", async () => {
    const input = { url: 'https://hooks.example/twice' }
    const told = bodies<{ secret?: string }>(await rush(operation('alerts.webhook-set', input)))
    const secrets = told.flatMap(({ secret }) => secret ?? [])
    expect([told.length, secrets.length]).toEqual([AT_ONCE, 1])
    const [{ webhook } = { webhook: undefined }] = await one().plane.alertWebhooks.list(PLATFORM)
    const keyring = new Keyring([TEST_ENVIRONMENT.SERVICE_DATA_KEYS ?? ''])
    expect(keyring.open(webhook?.secret ?? '', placeOf('alertWebhooks', ''))).toBe(secrets[0])
  })

  it('a revocation that meets a reinstatement stays', async () => {
    const { id } = await license()
    await one().plane.licenses.suspend(id)
    const [revoked, reinstated] = await Promise.all([
      rush(operation('licenses.revoke', { license: id })),
      rush(operation('licenses.reinstate', { license: id })),
    ])
    expect(counted(revoked)).toEqual({ 200: AT_ONCE })
    expect(Object.keys(counted(reinstated)).every((status) => ['200', '409'].includes(status))).toBe(true)
    expect((await one().plane.licenses.list(PLATFORM)).find((each) => each.id === id)?.status).toBe('revoked')
  })

  it('each of a user’s sessions is ended by one of those who end them, and nothing of it is left', async () => {
    const { plane } = one()
    const email = 'sessions@svc.example'
    const user = await plane.users.add({ email, role: 'viewer', tenantId: undefined, password: undefined })
    const cookies = await Promise.all(
      Array.from({ length: 5 }, async () => (await plane.sessions.mint(user)).cookie),
    )
    const answers = bodies<{ revoked: number }>(await rush(operation('sessions.revoke', { email })))
    expect(answers.reduce((sum, { revoked }) => sum + revoked, 0)).toBe(5)
    for (const each of cookies) expect(await plane.sessions.authenticate(each)).toBeUndefined()
  })

  it('an alert that many take on at once is taken on once', async () => {
    const { plane } = one()
    const { id, bearer } = await license()
    const beat = { fingerprint: 'full-0123456789', hostname: 'full', disk_pct: 95 }
    await one().send(post('/v1/telemetry/heartbeat', beat, bearer))
    for (const minutes of [1, 1]) {
      clock.advance({ minutes })
      await plane.scheduler.tick()
    }
    const { alerts } = await plane.alerts.list(ofLicense(id), {})
    const [alert] = alerts
    expect(alerts).toHaveLength(1)
    expect(counted(await rush(operation('alerts.ack', { id: alert?.id })))).toEqual({ 200: AT_ONCE })
    expect(counted(await rush(operation('alerts.resolve', { id: alert?.id })))).toEqual({ 200: AT_ONCE })
    const { actions } = await plane.alerts.story(alert?.id ?? '')
    expect(actions.map(({ action }) => action).sort()).toEqual(['ack', 'resolve'])
  })
})
