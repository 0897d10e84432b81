import { describe, expect, it } from '@jest/globals'
import { serving } from './serving.ts'

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
    // The short form is the same route where there is one.
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

  it('opens no window for an unknown key', async () => {
    const { post } = served()
    const unknown = { authorization: 'Bearer unknown' }
    expect(await statuses(100, () => post('/v1/telemetry/heartbeat', {}, unknown))).toEqual(new Set([401]))
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

  it('wins over a bad body', async () => {
    const send = () => served().post('/v1/license/activate', '{')
    expect(await statuses(10, send)).toEqual(new Set([400]))
    expect(await send()).toMatchObject(LIMITED)
  })
})
