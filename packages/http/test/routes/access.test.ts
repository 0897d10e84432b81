import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { proofBytes } from '@svc/core/adapters'
import { counted } from '../../../../test/support/counted.ts'
import { serving } from '../support/serving.ts'

const ENV = {
  RELAY_MODE: 'external',
  RELAY_URL: 'wss://relay.example',
  SERVICE_PUBLIC_URL: 'https://svc.example',
}
const served = serving({ env: ENV })

const beat = (fingerprint: string, hostname = 'web-1') =>
  served().post('/v1/telemetry/heartbeat', { fingerprint, hostname })

async function cookieOf(role: string, email = `${role}@svc.example`): Promise<string> {
  const { plane } = served()
  const user = await plane.users.add({ email, role, tenantId: undefined, password: undefined })
  return (await plane.sessions.mint(user)).cookie
}

const ask = (
  cookie: string | undefined,
  body: unknown = { host: 'web-1' },
  headers: Record<string, string> = {},
) =>
  served().send({
    method: 'POST',
    path: '/api/v1/access/cli-session',
    headers: { ...(cookie === undefined ? {} : { cookie }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const pending = (fingerprint: string, headers: Record<string, string> = {}) =>
  served().get(`/api/v1/access/pending?fingerprint=${fingerprint}`, headers)

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const proved = (fingerprint: string, atMs: number, key = privateKey) => ({
  'x-agent-key': Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64'),
  'x-agent-proof': `t=${atMs};sig=${sign(null, proofBytes(fingerprint, atMs), key).toString('base64')}`,
})

describe('POST /api/v1/access/cli-session', () => {
  it('opens a session and returns the ticket', async () => {
    await beat('fp-1')
    const { status, body, headers } = await ask(await cookieOf('operator'))
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toEqual({
      session_id: expect.stringMatching(/^acs_/),
      token: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+$/),
      expires: '2026-01-05T09:01:00.000Z',
      relay_url: 'wss://relay.example/relay/v1/operator',
      mode: 'shell',
      host: { id: 'agt_fp-1', hostname: 'web-1' },
      idle_timeout_s: 900,
      max_session_s: 28_800,
    })
    const [session] = await served().storage.accessSessions.list(PLATFORM, { active: true, limit: 1 })
    expect(session).toMatchObject({
      operatorKind: 'user',
      operatorLabel: 'operator@svc.example',
      ip: '127.0.0.1',
    })
  })

  it.each([
    ['no host', { reason: 'x' }],
    ['an empty host', { host: '' }],
    ['a long host', { host: 'x'.repeat(256) }],
    ['a mode that is none', { host: 'web-1', mode: 'root' }],
    ['a command that is missing', { host: 'web-1', mode: 'exec' }],
    ['an empty command', { host: 'web-1', mode: 'exec', command: '' }],
    ['a long command', { host: 'web-1', mode: 'exec', command: 'x'.repeat(4097) }],
    ['an option as user', { host: 'web-1', user: '-oProxyCommand=x' }],
    ['a user in capitals', { host: 'web-1', user: 'Root' }],
    ['one column', { host: 'web-1', cols: 1 }],
    ['501 columns', { host: 'web-1', cols: 501 }],
    ['half a row', { host: 'web-1', rows: 20.5 }],
    ['endless rows', '{"host":"web-1","rows":1e999}'],
    ['a terminal with a blank', { host: 'web-1', term: 'xterm; rm' }],
    ['a long reason', { host: 'web-1', reason: 'x'.repeat(501) }],
    ['null', { host: 'web-1', user: null }],
    ['no object', '[]'],
    ['no JSON', '{'],
  ])('refuses %s, and nothing is stored', async (_what, body) => {
    await beat('fp-1')
    expect((await ask(await cookieOf('operator'), body)).status).toBe(400)
    expect(await served().storage.accessSessions.list(PLATFORM, { active: false, limit: 9 })).toEqual([])
  })

  it('finds no host of another name, and says which ones a name may mean', async () => {
    const cookie = await cookieOf('operator')
    expect(await ask(cookie, { host: 'nowhere' })).toMatchObject({
      status: 404,
      body: { error: 'host not found' },
    })
    await beat('fp-1')
    await beat('fp-2')
    const { status, body } = await ask(cookie)
    expect(status).toBe(409)
    expect(body).toEqual({
      error: 'host name is ambiguous',
      hosts: [
        { id: 'agt_fp-1', hostname: 'web-1' },
        { id: 'agt_fp-2', hostname: 'web-1' },
      ],
    })
  })

  it('says that a host is offline, and since when; and that it has too many sessions', async () => {
    await beat('fp-1')
    const cookie = await cookieOf('operator')
    for (let times = 0; times < 5; times += 1) await ask(cookie)
    expect(await ask(cookie)).toMatchObject({ status: 409, body: { error: 'too many sessions' } })
    const last = served().clock.now().getTime() / 1000
    served().clock.advance({ seconds: 181 })
    const { status, body } = await ask(cookie)
    expect([status, body]).toEqual([409, { error: 'host offline', last_heartbeat: last }])
  })

  it('is for people with platform.ssh from our own pages, 20 times a minute each', async () => {
    await beat('fp-1')
    const cookie = await cookieOf('operator')
    expect(await ask(undefined)).toMatchObject({ status: 401 })
    expect(await ask(await cookieOf('viewer'))).toMatchObject({ status: 403 })
    expect(await ask(cookie, undefined, { origin: 'https://evil.example' })).toMatchObject({ status: 403 })
    expect(await ask(cookie, undefined, { origin: 'https://svc.example' })).toMatchObject({ status: 201 })
    const { secret } = await served().plane.apiTokens.issue({
      ...{ role: 'super_admin', tenantId: undefined, label: '', expiresAt: undefined, createdBy: 'ann' },
    })
    expect(await ask(undefined, undefined, { authorization: `Bearer ${secret}` })).toMatchObject({
      status: 401,
    })
    const statuses = []
    for (let times = 0; times < 20; times += 1) statuses.push((await ask(cookie)).status)
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  })

  it('hosts of another tenant are none', async () => {
    const { plane } = served()
    await beat('fp-1')
    const { id: tenantId } = await plane.tenants.add('acme')
    const owner = await plane.users.add({
      email: 'eve@acme.example',
      role: 'owner',
      tenantId,
      password: undefined,
    })
    const { cookie } = await plane.sessions.mint(owner)
    expect(await ask(cookie)).toMatchObject({ status: 404, body: { error: 'host not found' } })
  })
})

describe('without a relay', () => {
  const bare = serving()
  it('cli-session answers 503 before it reads the body, after 401 and 403', async () => {
    const { plane, send } = bare()
    const post = (cookie: string | undefined, body: string) =>
      send({
        method: 'POST',
        path: '/api/v1/access/cli-session',
        headers: cookie === undefined ? {} : { cookie },
        body,
      })
    const cookieFor = async (role: string) => {
      const user = await plane.users.add({
        email: `${role}@x.example`,
        role,
        tenantId: undefined,
        password: undefined,
      })
      return (await plane.sessions.mint(user)).cookie
    }
    expect(await post(undefined, '{')).toMatchObject({ status: 401 })
    expect(await post(await cookieFor('support'), '{')).toMatchObject({ status: 403 })
    expect(await post(await cookieFor('operator'), '{')).toMatchObject({
      status: 503,
      body: { error: 'relay not configured' },
    })
  })

  it('hosts are told to come back in five minutes', async () => {
    const { status, body } = await bare().get('/api/v1/access/pending?fingerprint=fp-1&wait=25')
    expect([status, body]).toEqual([200, { sessions: [], next_poll: 300 }])
  })
})

describe('GET /api/v1/access/pending', () => {
  it('keeps the kinds of sessions that the host names and this release knows, until it names none', async () => {
    await beat('fp-1')
    const known = async () => (await served().storage.agents.list(PLATFORM))[0]?.accessModes
    await pending('fp-1&modes=shell,telnet,logs')
    expect(await known()).toEqual(['shell', 'logs'])
    await pending(`fp-1&modes=${'x,'.repeat(1000)}logs`)
    expect(await known()).toEqual([])
    await pending('fp-1')
    expect(await known()).toBeUndefined()
  })

  it('a session appears once, and only to its host, also when hosts ask at once', async () => {
    await beat('fp-1', 'web-1')
    await beat('fp-2', 'web-2')
    await ask(await cookieOf('operator'))
    const answers = await Promise.all(
      ['fp-1', 'fp-2', 'fp-1', 'fp-2', 'fp-1'].map((fingerprint) => pending(fingerprint)),
    )
    const counts = answers.map(({ body }) => (body as { sessions: unknown[] }).sessions.length)
    expect([counts[1], counts[3]]).toEqual([0, 0])
    expect(counts.reduce((sum, count) => sum + count)).toBe(1)
  })

  it('hands out what the host needs, and no more than there is', async () => {
    await beat('fp-1')
    const asked = { host: 'web-1', mode: 'exec', command: 'uptime', reason: 'a look' }
    await ask(await cookieOf('operator'), asked)
    const { body } = await pending('fp-1')
    expect(body).toEqual({
      sessions: [
        {
          session_id: expect.stringMatching(/^acs_/),
          token: expect.stringMatching(/^ey/),
          relay_url: 'wss://relay.example/relay/v1/agent',
          ...{ mode: 'exec', command: 'uptime', cols: 80, rows: 24, term: 'xterm-256color' },
          ...{ operator: 'operator@svc.example', reason: 'a look', expires: '2026-01-05T09:01:00.000Z' },
        },
      ],
      next_poll: 5,
    })
  })

  it.each([
    '',
    '&fingerprint=',
    `&fingerprint=${'x'.repeat(513)}`,
    '&fingerprint=fp-1&wait=26',
    '&fingerprint=fp-1&wait=-1',
    '&fingerprint=fp-1&wait=1e1',
  ])('refuses the query %j', async (query) => {
    await beat('fp-1')
    expect((await served().get(`/api/v1/access/pending?x=1${query}`)).status).toBe(400)
  })

  it('is for hosts of the license, which are counted one by one; strangers together', async () => {
    await beat('fp-1')
    const other = await served().license()
    const headers = { authorization: `Bearer ${other.key}` }
    expect(await pending('fp-1', headers)).toMatchObject({
      status: 404,
      body: { error: 'agent not found / not owned' },
    })
    expect((await pending('fp-1', { authorization: 'Bearer none' })).status).toBe(401)
    const statuses = []
    for (let times = 0; times < 61; times += 1) statuses.push((await pending('fp-1')).status)
    expect(statuses.slice(59)).toEqual([200, 429])
    await beat('fp-2')
    expect((await pending('fp-2')).status).toBe(200)
    const strangers = []
    for (let times = 0; times < 61; times += 1) strangers.push((await pending(`no-${times}`)).status)
    expect(strangers.slice(59)).toEqual([404, 429])
  })

  it('once a host has shown a key, asking without it is refused and raises an alert', async () => {
    await beat('fp-1')
    const at = +served().clock.now()
    expect((await pending('fp-1')).status).toBe(200)
    expect((await pending('fp-1', proved('fp-1', at))).status).toBe(200)
    expect((await pending('fp-1', proved('fp-1', at))).status).toBe(403)
    expect((await pending('fp-1', proved('fp-1', at + 1))).status).toBe(200)
    expect(await pending('fp-1')).toMatchObject({ status: 403, body: { error: 'agent key mismatch' } })
    expect(await counted(served().plane, 'svc_access_keys_refused_total')).toEqual({ '': 2 })
    const { plane, clock } = served()
    for (const minutes of [1, 1]) {
      clock.advance({ minutes })
      await plane.scheduler.tick()
    }
    const { alerts } = await plane.alerts.list(PLATFORM, {})
    expect(alerts).toMatchObject([{ kind: 'agent_key_mismatch', severity: 'critical' }])
    await plane.operations.run('fleet.reset-key', { host: 'web-1' }, 'ann')
    expect((await pending('fp-1')).status).toBe(200)
  })

  it('stands at /api alone', async () => {
    expect((await served().get('/v1/access/pending?fingerprint=fp-1')).status).toBe(404)
  })
})
