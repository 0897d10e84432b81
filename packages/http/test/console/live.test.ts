// Event streams of pages: changes within a second, lines of logs, ends of sessions, limits.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { postgresStorage } from '@svc/testing'
import { type ConsoleFleet, consoleFleet } from '../../../../test/support/console-fleet.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { PAGES } from '../../src/console/pages.ts'
import { visitorOf } from './console-client.ts'
import { type Followed, followed } from './live-client.ts'

/** Time until a page is told of a change, and of a line of a log, in ms; a busy machine adds to it. */
const CHANGE_MS = 1000
const LINE_MS = 300
const SLACK_MS = 400
/** How long a stream may outlive its session, in milliseconds. */
const END_MS = 2000

const later = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe('the event stream of a page', () => {
  let served: Mounted
  let fleet: ConsoleFleet
  let looks = 0
  const streams: Followed[] = []
  beforeAll(async () => {
    const storage = await postgresStorage(process.env.SVC_TEST_POSTGRES ?? '')
    const { live } = storage
    const versions: typeof live.versions = (...given) => {
      looks += 1
      return live.versions(...given)
    }
    const logEnds: typeof live.logEnds = (...given) => {
      looks += 1
      return live.logEnds(...given)
    }
    served = await mounted(undefined, { storage: { ...storage, live: { versions, logEnds } } })
    fleet = await consoleFleet(served)
  }, 60_000)
  afterAll(async () => served[Symbol.asyncDispose]())
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave()
    for (let tries = 0; served.plane.livePages.size > 0 && tries < 100; tries += 1) await later(10)
    expect(served.plane.livePages.size).toBe(0)
  })

  const cookieOf = async (who: 'admin' | 'owner') => (await served.plane.sessions.mint(fleet[who])).cookie
  async function opened(cookie: string | undefined, ...shows: readonly string[]): Promise<Followed> {
    const stream = await followed(served, cookie, ...shows)
    streams.push(stream)
    return stream
  }
  const run = (name: string, input: object) => served.plane.operations.run(name, input, 'test')
  const enqueue = (license: string) =>
    run('jobs.enqueue', { kind: 'stop', license, payload: { app: 'shop' } })

  it('begins with an event, tells of a change within a second, and of nothing else', async () => {
    const stream = await opened(await cookieOf('admin'), 'jobs')
    expect([stream.status, stream.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    await stream.until(1)
    await later(CHANGE_MS)
    expect(stream.events()).toBe(1)
    await enqueue(fleet.licenses.acme)
    expect(await stream.until(2)).toBeLessThan(CHANGE_MS + SLACK_MS)
    await run('alerts.webhook-set', { url: 'https://hooks.example/one' })
    await later(CHANGE_MS + SLACK_MS)
    expect(stream.events()).toBe(2)
  })

  it('tells of a host that falls silent, which changes no row', async () => {
    const stream = await opened(await cookieOf('owner'), 'fleet')
    await stream.until(1)
    await later(CHANGE_MS)
    served.clock.advance({ seconds: 141 })
    expect(await stream.until(2)).toBeLessThan(CHANGE_MS + SLACK_MS)
    await fleet.beat(2, {})
    expect(await stream.until(3)).toBeLessThan(CHANGE_MS + SLACK_MS)
  })

  it('tells of a line of a running job soon after it arrived, and of no line of another job', async () => {
    const cookie = await cookieOf('owner')
    const stream = await opened(cookie, `job:${fleet.jobs.running}`, 'log')
    const other = await opened(cookie, `job:${fleet.jobs.succeeded}`, 'log')
    await stream.until(1)
    await later(CHANGE_MS)
    const before = stream.events()
    await fleet.log(fleet.jobs.running, 'a line')
    expect(await stream.until(before + 1)).toBeLessThan(LINE_MS + SLACK_MS)
    await later(CHANGE_MS)
    expect(other.events()).toBe(1)
  })

  it.each([
    ['the session is revoked', 401, (email: string) => run('sessions.revoke', { email })],
    ['the role changes', 403, (email: string) => run('users.set-role', { email, role: 'viewer' })],
    ['the person is disabled', 401, (email: string) => run('users.disable', { email })],
  ])('ends soon after %s, and is not opened again', async (what, status, end) => {
    const email = `${what.replaceAll(' ', '-')}@svc.example`
    const person = await served.plane.users.add({
      email,
      role: 'operator',
      tenantId: undefined,
      password: undefined,
    })
    const { cookie } = await served.plane.sessions.mint(person)
    const other = await opened(await cookieOf('admin'), 'fleet')
    const stream = await opened(cookie, 'security')
    await stream.until(1)
    await end(email)
    expect(await stream.ended()).toBeLessThan(END_MS)
    await other.until(1)
    expect(served.plane.livePages.size).toBe(1)
    expect(await served.plane.metrics.exposition()).toContain('\nsvc_console_pages 1\n')
    expect((await opened(cookie, 'security')).status).toBe(status)
  })

  it('is refused where there is no session, no right, and no such thing', async () => {
    const [owner, admin] = [await cookieOf('owner'), await cookieOf('admin')]
    const statuses = async (cookie: string | undefined, ...shows: readonly string[]) =>
      (await opened(cookie, ...shows)).status
    expect(await statuses(undefined, 'jobs')).toBe(401)
    for (const list of ['users', 'tokens', 'audit', 'chat', 'security', 'email-queue', 'provision-orders'])
      expect([list, await statuses(owner, list)]).toEqual([list, 403])
    for (const unknown of ['none', 'job:', 'session:abc', 'jobs:one', 'job:job_none', 'host:a b'])
      expect([unknown, await statuses(admin, unknown)]).toEqual([unknown, 404])
    expect(await statuses(admin, ...Array.from({ length: 9 }, () => 'jobs'))).toBe(400)
    const head = await served.send({
      method: 'HEAD',
      path: '/console/live?show=jobs',
      headers: { cookie: admin },
    })
    expect(head.status).toBe(405)
    expect(served.plane.livePages.size).toBe(0)
  })

  it('of things of another tenant is refused as of things that nobody has', async () => {
    const cookie = await cookieOf('owner')
    const { globex } = fleet.licenses
    const theirs = await enqueue(globex)
    const { servers } = await run('fleet.servers', { license: globex })
    const [server] = servers as readonly { readonly id: string }[]
    const refusal = async (show: string) => {
      const { status, text } = await opened(cookie, show)
      return [status, text]
    }
    const job = (theirs.job as { readonly id: string }).id
    for (const [of, nobodys] of [
      [`job:${job}`, 'job:job_none'],
      [`host:${globex} ${server?.id}`, 'host:lic_none none'],
      [`license-jobs:${globex}`, 'license-jobs:lic_none'],
    ] as const) {
      expect(await refusal(of)).toEqual(await refusal(nobodys))
      expect((await opened(await cookieOf('admin'), of)).status).toBe(200)
    }
    const stream = await opened(cookie, 'jobs')
    await stream.until(1)
    await later(CHANGE_MS)
    const before = stream.events()
    await run('jobs.cancel', { job })
    await later(CHANGE_MS + SLACK_MS)
    expect(stream.events()).toBe(before)
  })

  it('is one of five of a session, and leaves its place to others', async () => {
    const [cookie, another] = [await cookieOf('admin'), await cookieOf('admin')]
    for (let round = 0; round < 2; round += 1) {
      for (let refused = 0; refused < 3; refused += 1)
        expect((await opened(cookie, 'job:job_none')).status).toBe(404)
      const five = await Promise.all(Array.from({ length: 5 }, () => opened(cookie, 'jobs')))
      expect(five.map(({ status }) => status)).toEqual(five.map(() => 200))
      const sixth = await opened(cookie, 'jobs')
      expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([503, '15'])
      const [first] = five
      first?.leave()
      while (served.plane.livePages.size > 4) await later(10)
      expect((await opened(cookie, 'jobs')).status).toBe(200)
      const others = await opened(another, 'jobs')
      expect(others.status).toBe(200)
      for (const stream of streams) stream.leave()
      while (served.plane.livePages.size > 0) await later(10)
    }
  })

  it('costs nothing when no page is open', async () => {
    const stream = await opened(await cookieOf('admin'), `job:${fleet.jobs.running}`, 'log')
    await stream.until(1)
    await later(CHANGE_MS)
    expect(looks).toBeGreaterThan(2)
    stream.leave()
    while (served.plane.livePages.size > 0) await later(10)
    await later(CHANGE_MS)
    looks = 0
    await later(CHANGE_MS)
    expect(looks).toBe(0)
  })

  it('is there for every page that says so', async () => {
    const cookie = await cookieOf('admin')
    const things: Readonly<Record<string, string>> = {
      host: 'web-2',
      app: 'shop',
      job: fleet.jobs.running,
      license: fleet.licenses.acme,
    }
    const paths = PAGES.filter(({ path, operation }) => operation !== undefined && path !== 'system')
      .map(({ path }) => path.replace(/\{(\w+)\}/, (whole, name) => things[name] ?? whole))
      .filter((path) => !path.includes('{'))
    expect(paths.length).toBeGreaterThan(30)
    let live = 0
    for (const path of paths) {
      const { page } = await visitorOf(served, cookie).get(path)
      const address = page.querySelector('main')?.getAttribute('data-live')
      expect([path, address]).not.toEqual([path, undefined])
      if (address === undefined || address === '') continue
      const shows = new URL(address, `http://svc.example/console/${path}`).searchParams.getAll('show')
      const stream = await opened(cookie, ...shows)
      expect([path, stream.status]).toEqual([path, 200])
      stream.leave()
      while (served.plane.livePages.size > 0) await later(5)
      live += 1
    }
    expect(live).toBeGreaterThan(paths.length - 5)
  }, 30_000)
})
