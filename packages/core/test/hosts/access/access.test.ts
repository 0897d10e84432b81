import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createControlPlane, PLATFORM, type SessionCaller } from '@svc/core'
import type { User } from '@svc/core/ports'
import { buildHeartbeat, FakeClock, FakeTimers, type TestPlane, testPlane } from '@svc/testing'
import { counted } from '../../../../../test/support/counted.ts'

const ENV = { RELAY_MODE: 'external', RELAY_URL: 'wss://a.example, wss://b.example' }

let clock: FakeClock
let timers: FakeTimers
let test: TestPlane
let licenseId: string
const host = (fingerprint = 'fp-1') => ({ licenseId, fingerprint })
const beat = (fingerprint = 'fp-1') =>
  test.plane.agents.heartbeat({ ...buildHeartbeat({ ...host(fingerprint), hostname: 'web-1' }), jobs: [] })
const open = (more: object = {}) =>
  test.plane.operations.run('ssh.open', { host: 'web-1', ...more }, 'cli:ann')
const pending = (
  waitSeconds = 0,
  fingerprint = 'fp-1',
  gone = new AbortController().signal,
  plane = test.plane,
) =>
  plane.access.pending({
    ...host(fingerprint),
    waitSeconds,
    gone,
    headers: { key: undefined, proof: undefined },
  })
const ids = ({ tickets }: Awaited<ReturnType<typeof pending>>) => tickets.map(({ session }) => session.id)

beforeEach(async () => {
  clock = new FakeClock()
  timers = new FakeTimers(clock)
  test = testPlane({ env: ENV, clock, parts: { timers } })
  licenseId = (await test.license()).id
  await beat()
})
afterEach(() => test[Symbol.asyncDispose]())

describe('sessions on hosts', () => {
  it('are opened with a ticket, and handed to their host with another one', async () => {
    const opened = await open({ user: 'deploy', reason: 'disk full', cols: 120 })
    expect(opened).toMatchObject({ mode: 'shell', idle_timeout_s: 900, max_session_s: 28_800 })
    const answer = await pending()
    expect(answer).toMatchObject({
      nextPoll: 5,
      tickets: [
        {
          session: {
            id: opened.session_id,
            user: 'deploy',
            reason: 'disk full',
            cols: 120,
            operatorLabel: 'cli:ann',
          },
        },
      ],
    })
    const [ticket] = answer.tickets
    const base = String(opened.relay_url).replace('/relay/v1/operator', '')
    expect(ENV.RELAY_URL.split(', ')).toContain(base)
    expect(ticket?.relayUrl).toBe(`${base}/relay/v1/agent`)
    expect(ticket?.token).not.toBe(opened.token)
    expect(await pending()).toMatchObject({ tickets: [] })
  })

  it('for the output of an app reach its host alone, with a checked wish, and do not end while nobody types', async () => {
    const { plane } = test
    const logs = (more: object = {}) => plane.operations.run('apps.logs', { app: 'shop', ...more }, 'cli:ann')
    await plane.apps.create(licenseId, 'shop', { fingerprint: undefined, repoUrl: undefined })
    await expect(logs()).rejects.toThrow('shop has no host: svc apps set shop --host HOST')
    await plane.operations.run('apps.set', { app: 'shop', host: 'web-1' }, 'cli:ann')
    await expect(logs()).rejects.toThrow(
      'the agent of web-1 is too old for sessions of mode logs: upgrade it',
    )
    const headers = { key: undefined, proof: undefined }
    const asked = { ...host(), waitSeconds: 0, gone: new AbortController().signal, headers }
    await plane.access.pending({ ...asked, modes: ['shell', 'logs'] })
    const opened = await logs({ process: 'web', since: '1h', lines: 5, follow: true })
    expect(opened).toMatchObject({ mode: 'logs', idle_timeout_s: 28_800, max_session_s: 28_800 })
    const { tickets } = await plane.access.pending({ ...asked, modes: ['shell', 'logs'] })
    expect(tickets.map(({ session }) => session)).toMatchObject([{ id: opened.session_id, mode: 'logs' }])
    const command = JSON.parse(tickets[0]?.session.command ?? '')
    expect(command).toEqual({ app: 'shop', process: 'web', since: '1h', lines: 5, follow: true })
    for (const bad of [{ process: '--x' }, { since: '1 h' }, { lines: -1 }, { app: 'none' }])
      await expect(logs(bad)).rejects.toThrow()
    await expect(open({ mode: 'logs' })).rejects.toThrow()
    // An older agent took the place of this one.
    await plane.access.pending(asked)
    await expect(logs()).rejects.toThrow('too old')
  })

  it('wake a host that waits at once, and no other', async () => {
    await beat('fp-2')
    const [own, other] = [pending(25), pending(25, 'fp-2')]
    await timers.begun()
    expect(test.plane.access).toBeDefined()
    const { session_id } = await open({ host: 'fp:fp-1' })
    expect(ids(await own)).toEqual([session_id])
    await timers.advance({ seconds: 25 })
    expect(ids(await other)).toEqual([])
  })

  it('of another replica reach a host that waits at once', async () => {
    const replica = createControlPlane({ ...test.plane, timers })
    const waiting = pending(25, 'fp-1', undefined, replica)
    await timers.begun()
    const { session_id } = await open()
    expect(ids(await waiting)).toEqual([session_id])
  })

  it('are not taken by a host that has gone while it waited', async () => {
    const gone = new AbortController()
    const waiting = pending(25, 'fp-1', gone.signal)
    await timers.begun()
    gone.abort()
    expect(ids(await waiting)).toEqual([])
    const { session_id } = await open()
    expect(ids(await pending())).toEqual([session_id])
  })

  it('a drain ends every wait', async () => {
    const waiting = [pending(25), pending(20)]
    await timers.begun()
    test.plane.health.drain()
    expect((await Promise.all(waiting)).map(ids)).toEqual([[], []])
    expect(ids(await pending(25))).toEqual([])
  })

  it('beyond the number that may wait, hosts are answered at once', async () => {
    await using small = testPlane({ env: { ...ENV, ACCESS_MAX_WAITERS: '0' }, clock, parts: { timers } })
    const owner = { licenseId: (await small.license()).id, fingerprint: 'fp-1' }
    await small.plane.agents.heartbeat({ ...buildHeartbeat(owner), jobs: [] })
    const headers = { key: undefined, proof: undefined }
    const gone = new AbortController().signal
    expect(await small.plane.access.pending({ ...owner, waitSeconds: 25, headers, gone })).toEqual({
      tickets: [],
      nextPoll: 5,
    })
  })

  it('without a relay are refused to operators, and hosts stay calm', async () => {
    await using bare = testPlane()
    const headers = { key: undefined, proof: undefined }
    const asked = { ...host('nobody'), waitSeconds: 25, headers, gone: new AbortController().signal }
    expect(await bare.plane.access.pending(asked)).toEqual({ tickets: [], nextPoll: 300 })
    await expect(bare.plane.operations.run('ssh.open', { host: 'web-1' }, 'ann')).rejects.toMatchObject({
      code: 'relay-not-configured',
    })
  })

  it('are not opened on a host that has been silent for three minutes', async () => {
    clock.advance({ seconds: 180 })
    await open()
    clock.advance(1)
    await expect(open()).rejects.toMatchObject({ code: 'conflict', kind: 'offline' })
  })

  it('are five of a host at most, and one that ended makes room', async () => {
    const opened = []
    for (let times = 0; times < 5; times += 1) opened.push(await open())
    await expect(open()).rejects.toMatchObject({ code: 'conflict', kind: 'too-many' })
    const [first] = opened
    await test.plane.operations.run('ssh.revoke', { session: String(first?.session_id) }, 'ann')
    await open()
    clock.advance({ seconds: 61 })
    await beat()
    await open()
    expect(await counted(test.plane, 'svc_access_sessions_total')).toEqual({ '{mode="shell"}': 7 })
  })

  describe('when tenants take all that they can get', () => {
    let full: TestPlane
    beforeEach(() => {
      const limits = {
        RELAY_MAX_SESSIONS: '20',
        RELAY_MAX_SESSIONS_PER_HOST: '2',
        RELAY_MAX_SESSIONS_PER_LICENSE: '3',
      }
      full = testPlane({ env: { ...ENV, ...limits }, clock })
    })
    afterEach(() => full[Symbol.asyncDispose]())

    const person = (name: string, role: string, tenantId: string | undefined) =>
      full.plane.users.add({ email: `${name}@svc.example`, role, tenantId, password: undefined })
    /** A tenant with a license, three hosts and an owner. */
    async function tenant(name: string) {
      const { id: tenantId } = await full.plane.tenants.add(name)
      const { license } = await full.plane.licenses.issue({ tenantId, label: name })
      for (const hostname of [1, 2, 3].map((number) => `${name}-${number}`)) {
        const beaten = buildHeartbeat({ licenseId: license.id, fingerprint: hostname, hostname })
        await full.plane.agents.heartbeat({ ...beaten, jobs: [] })
      }
      return { name, license, owner: await person(`owner-${name}`, 'owner', tenantId) }
    }
    const openAs = (user: User, host: string) =>
      full.plane.operations.runFor({ user, digest: '' } satisfies SessionCaller, 'ssh.open', { host })
    const fill = async ({ name, owner }: Awaited<ReturnType<typeof tenant>>) => {
      for (const number of [1, 1, 2]) await openAs(owner, `${name}-${number}`)
    }
    const saying = (message: RegExp) => ({ kind: 'too-many', message: expect.stringMatching(message) })

    it('one has its share, and others and staff still get theirs; each hears who holds what they may know', async () => {
      const [acme, other] = [await tenant('acme'), await tenant('other')]
      const ann = await person('ann', 'operator', undefined)
      await openAs(ann, 'acme-2')
      await fill(acme)
      await expect(openAs(acme.owner, 'acme-1')).rejects.toMatchObject(
        saying(/^host agt_acme-1 has as many .* as it may: owner-acme@svc.example has 2; svc ssh sessions/),
      )
      await expect(openAs(acme.owner, 'acme-3')).rejects.toMatchObject(
        saying(/^the hosts of this license .*: owner-acme@svc.example has 3, ann@svc.example has 1; svc ssh/),
      )
      await openAs(other.owner, 'other-1')
      for (const name of ['c', 'd', 'e', 'f']) await fill(await tenant(name))
      // These and two more are the 18 of 20 that people of tenants may have together.
      for (const host of ['other-2', 'other-3']) await openAs(other.owner, host)
      const late = await tenant('late')
      await expect(openAs(late.owner, 'late-1')).rejects.toMatchObject(
        saying(/^all hosts together have as many sessions as they may: try again in a minute$/),
      )
      await openAs(ann, 'other-1')
      await expect(openAs(ann, 'other-2')).rejects.toMatchObject(
        saying(new RegExp(`^all hosts together.*${acme.license.id} has 4.*others [0-9]+; svc ssh sessions`)),
      )
    })

    it('a person opens twenty in a minute, whatever becomes of them', async () => {
      const { owner } = await tenant('acme')
      for (let times = 0; times < 20; times += 1) await openAs(owner, 'acme-1').catch(() => {})
      await expect(openAs(owner, 'acme-2')).rejects.toMatchObject({
        code: 'rate-limited',
        data: { retryAfterSeconds: 60 },
      })
      clock.advance({ minutes: 1 })
      await openAs(owner, 'acme-2')
    })
  })

  it('with a command need one, and keep it only until they end', async () => {
    await expect(open({ mode: 'exec' })).rejects.toMatchObject({ code: 'invalid-input' })
    const { key: secret } = await test.license('other')
    const { session_id } = await open({ mode: 'exec', command: `login ${secret}` })
    expect((await pending()).tickets[0]?.session.command).toBe(`login ${secret}`)
    const { sessions } = await test.plane.operations.run('ssh.sessions', {}, 'ann')
    expect(JSON.stringify(sessions)).not.toContain(secret)
    expect(JSON.stringify(await test.storage.audit.list(10))).not.toContain(secret)
    await test.plane.operations.run('ssh.revoke', { session: session_id }, 'ann')
    expect((await test.storage.accessSessions.get(PLATFORM, String(session_id)))?.command).toBeUndefined()
  })

  it('of which a key is published beside the other ones', async () => {
    const relayKey = Buffer.alloc(32, 9).toString('base64url')
    await using keyed = testPlane({ env: { ...ENV, SERVICE_RELAY_PRIVKEY: relayKey } })
    const kids = keyed.plane.signer.jwks().keys.map(({ kid }) => kid)
    expect(kids).toHaveLength(2)
    expect(kids[0]).toBe(keyed.plane.signer.kid)
  })

  it('that nobody fetched are expired by the tick', async () => {
    const { session_id } = await open()
    clock.advance({ seconds: 60 })
    await test.plane.scheduler.tick()
    expect(await test.storage.accessSessions.get(PLATFORM, String(session_id))).toMatchObject({
      state: 'expired',
    })
  })
})
