import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'

const served = serving()
const LIMITED = { status: 429, body: { error: 'rate limit exceeded' } }
const FLEET = { authorization: '' }

async function statuses(count: number, send: () => Promise<{ status: number }>): Promise<Set<number>> {
  const seen = new Set<number>()
  for (let sent = 0; sent < count; sent += 1) seen.add((await send()).status)
  return seen
}

describe('limits per license', () => {
  it.each([
    ['/telemetry/heartbeat', 30, 200],
    ['/jobs/claim', 60, 204],
    ['/jobs/job_none/status', 120, 404],
    ['/jobs/job_none/logs', 240, 404],
    ['/jobs/job_none/cancel', 120, 404],
  ])('%s passes %i a minute, then is 429 until the window ends', async (path, limit, status) => {
    const { post, clock } = served()
    const send = () => post(`/api/v1${path}`, { fingerprint: 'fp', state: 'running' })
    expect(await statuses(limit, send)).toEqual(new Set([status]))
    expect(await send()).toMatchObject({ ...LIMITED, headers: { 'retry-after': '60' } })
    // If a route has a short path, both paths share the limit.
    const short = path.endsWith('/cancel') ? { status: 404, body: { error: 'not found' } } : LIMITED
    expect(await post(`/v1${path}`, { fingerprint: 'fp' })).toMatchObject(short)
    clock.advance({ ms: 59_001 })
    expect(await send()).toMatchObject({ ...LIMITED, headers: { 'retry-after': '1' } })
    clock.advance({ ms: 999 })
    expect(await send()).toMatchObject({ status })
  })

  it.each([
    ['GET', 120, 200],
    ['POST', 30, 404],
  ])(
    '%s of fleet alerts passes %i a minute, then is 429 until the window ends',
    async (method, limit, status) => {
      const { send, key, clock } = served()
      const headers = { authorization: `Bearer ${key}` }
      const body = method === 'GET' ? undefined : JSON.stringify({ id: 'alr_none', action: 'ack' })
      const ask = () => send({ method, path: '/api/v1/fleet/alerts', headers, body })
      expect(await statuses(limit, ask)).toEqual(new Set([status]))
      expect(await ask()).toMatchObject({ ...LIMITED, headers: { 'retry-after': '60' } })
      clock.advance({ ms: 59_999 })
      expect(await ask()).toMatchObject({ ...LIMITED, headers: { 'retry-after': '1' } })
      clock.advance({ ms: 1 })
      expect(await ask()).toMatchObject({ status })
    },
  )

  it('is counted apart for each route and each license', async () => {
    const { post, license } = served()
    await statuses(31, () => post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }))
    expect(await post('/v1/jobs/claim', { fingerprint: 'fp' })).toMatchObject({ status: 204 })
    const other = await license('other')
    const headers = { authorization: `Bearer ${other.key}` }
    expect(await post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }, headers)).toMatchObject({
      status: 200,
    })
  })

  it('is told late to who goes on at more than four times of it, a heartbeat of another license meanwhile', async () => {
    const { post, license } = served()
    const other = await license('other')
    const beat = () => post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })
    await statuses(120, beat)
    const start = performance.now()
    const tookMs = beat().then((answer) => ({ ...answer, ms: performance.now() - start }))
    const headers = { authorization: `Bearer ${other.key}` }
    expect(await post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }, headers)).toMatchObject({
      status: 200,
    })
    const { ms, ...answer } = await tookMs
    expect(answer).toMatchObject(LIMITED)
    expect(ms).toBeGreaterThan(245)
  })

  it('is hit before the body is looked at, and counts bad requests', async () => {
    const { post } = served()
    expect(await statuses(30, () => post('/v1/telemetry/heartbeat', '{'))).toEqual(new Set([400]))
    expect(await post('/v1/telemetry/heartbeat', '{')).toMatchObject(LIMITED)
  })

  it('of keys that are not good is 120 a minute and address, and does not concern a good one', async () => {
    const { post, get } = served()
    const unknown = { authorization: 'Bearer unknown' }
    const beat = () => post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }, unknown)
    expect(await statuses(120, beat)).toEqual(new Set([401]))
    expect(await beat()).toMatchObject({ ...LIMITED, headers: { 'retry-after': '60' } })
    expect(await get('/v1/fleet/servers', unknown)).toMatchObject(LIMITED)
    expect(await get('/v1/fleet/servers')).toMatchObject({ status: 200 })
    expect(await post('/v1/telemetry/heartbeat', { fingerprint: 'fp' })).toMatchObject({ status: 200 })
    const { key } = await served().plane.licenses.issue({})
    const fresh = { authorization: `Bearer ${key}` }
    expect(await post('/v1/jobs/claim', { fingerprint: 'fp' }, fresh)).toMatchObject({ status: 204 })
    const elsewhere = { ...unknown, 'x-forwarded-for': '203.0.113.7' }
    expect(await get('/v1/fleet/servers', elsewhere)).toMatchObject({ status: 401 })
    expect(await get('/v1/fleet/servers', { authorization: '' })).toMatchObject({ status: 401 })
    served().clock.advance({ minutes: 1 })
    expect(await beat()).toMatchObject({ status: 401 })
  })

  it('is counted in svc_rate_limit_rejected_total under the template of the route', async () => {
    const { post, get } = served()
    await statuses(31, () => post('/api/v1/telemetry/heartbeat', { fingerprint: 'fp' }))
    const { text } = await get('/metrics')
    expect(text).toContain('svc_rate_limit_rejected_total{route="/v1/telemetry/heartbeat"} 1\n')
    expect(text).toContain('svc_rate_limit_rejected_total{route="/v1/jobs/claim"} 0\n')
  })
})

describe('the limit of activation', () => {
  const activate = (forwarded?: string) =>
    served().post(
      '/v1/license/activate',
      { key: served().key },
      {
        ...FLEET,
        ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
      },
    )

  it('passes 10 a minute per client address, then is 429 until the window ends', async () => {
    expect(await statuses(10, () => activate())).toEqual(new Set([200]))
    expect(await activate()).toMatchObject({ ...LIMITED, headers: { 'retry-after': '60' } })
    served().clock.advance({ seconds: 60 })
    expect(await activate()).toMatchObject({ status: 200 })
  })

  it('counts the address that the proxy saw, so that a forged left part does not help', async () => {
    expect(await statuses(10, () => activate('203.0.113.9'))).toEqual(new Set([200]))
    expect(await activate('198.51.100.1, 203.0.113.9')).toMatchObject(LIMITED)
    expect(await activate('203.0.113.10')).toMatchObject({ status: 200 })
    expect(await activate()).toMatchObject({ status: 200 })
  })

  it.each([
    ['addresses of one /64', (index: number) => `2001:db8:0:1::${index}`],
    [
      'spellings of one address',
      (index: number) => `2001:db8::${'0'.repeat(index % 4)}1${'%a'.repeat(index % 2)}`,
    ],
    ['ports of one address', (index: number) => `203.0.113.7:${4000 + index}`],
    ['spellings of IPv4', (index: number) => (index % 2 === 0 ? '203.0.113.7' : '::ffff:203.0.113.7')],
    ['texts that are no address', (index: number) => `client-${index}`],
  ])('counts as one client: %s', async (_, address) => {
    let index = 0
    const next = () => {
      index += 1
      return activate(address(index))
    }
    expect(await statuses(10, next)).toEqual(new Set([200]))
    expect(await next()).toMatchObject(LIMITED)
  })

  it('is ten times as much for a /48, of which each /64 takes no more than its own', async () => {
    const of = (network: number, site = '2001:db8:7') => activate(`${site}:${network.toString(16)}::1`)
    for (let network = 0; network < 10; network += 1) {
      expect(await statuses(10, () => of(network))).toEqual(new Set([200]))
      expect(await of(network)).toMatchObject(LIMITED)
    }
    expect(await of(10)).toMatchObject(LIMITED)
    expect(await of(10, '2001:db8:8')).toMatchObject({ status: 200 })
  })

  it('wins over a bad body', async () => {
    const send = () => served().post('/v1/license/activate', '{')
    expect(await statuses(10, send)).toEqual(new Set([400]))
    expect(await send()).toMatchObject(LIMITED)
  })
})
