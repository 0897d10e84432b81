import { describe, expect, it } from '@jest/globals'
import { createApp } from '../../src/index.ts'
import { serving } from '../support/serving.ts'

describe('GET /healthz', () => {
  const served = serving()

  it('answers with exactly ok and checks', async () => {
    const { body } = await served().get('/healthz')
    expect(Object.keys(body as object)).toEqual(['ok', 'checks'])
    expect(body).toMatchObject({
      ok: true,
      checks: { database: { status: 'not-configured', embedded: 'memory' } },
    })
  })

  it('is 503 while draining, and livez stays 200', async () => {
    served().plane.health.drain()
    expect(await served().get('/healthz')).toMatchObject({
      status: 503,
      body: { ok: false, checks: { draining: { status: 'fail' } } },
    })
    expect(await served().get('/livez')).toMatchObject({ status: 200, body: { ok: true } })
  })
})

describe('GET /metrics', () => {
  const served = serving()
  const scrape = async () => (await served().get('/metrics')).text
  const COUNT = 'svc_http_request_duration_seconds_count'

  it('is text 0.0.4 with the families of the surface, the plane and the process', async () => {
    const { headers, text } = await served().get('/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    for (const family of ['svc_build_info', 'svc_uptime_seconds', 'svc_jobs', 'svc_heartbeats_total']) {
      expect(text).toContain(`# TYPE ${family} `)
    }
    expect(text).toContain('svc_rate_limit_backend_info{backend="memory"} 1\n')
    expect(text).toContain('svc_rate_limit_backend_info{backend="postgres"} 0\n')
    expect(text).toContain('# TYPE nodejs_eventloop_lag_seconds gauge')
    expect(text).toContain('# TYPE process_cpu_seconds_total counter')
  })

  it('names each family once', async () => {
    const families = [...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(families).size).toBe(families.length)
  })

  it('counts both forms of a path under one template, and strangers’ paths under none', async () => {
    await served().post('/v1/jobs/claim', { fingerprint: 'f' })
    await served().post('/api/v1/jobs/claim', { fingerprint: 'f' })
    await served().get('/some/where')
    await served().send({ method: 'PROPFIND', path: '/else/where' })
    const text = await scrape()
    expect(text).toContain(`${COUNT}{method="POST",route="/v1/jobs/claim",status="204"} 2\n`)
    expect(text).toContain(`${COUNT}{method="GET",route="unmatched",status="404"} 1\n`)
    expect(text).toContain(`${COUNT}{method="other",route="unmatched",status="404"} 1\n`)
    expect(text).not.toContain('where')
  })

  it('counts requests without a good credential', async () => {
    await served().post('/v1/jobs/claim', {}, { authorization: 'Bearer unknown' })
    await served().post('/v1/license/activate', { key: 'unknown' })
    const text = await scrape()
    expect(text).toContain('svc_http_auth_failures_total{route="/v1/jobs/claim"} 1\n')
    expect(text).toContain('svc_http_auth_failures_total{route="/v1/license/activate"} 1\n')
  })

  it('survives a second mounting of the same plane', async () => {
    expect(() => createApp(served().plane)).not.toThrow()
    expect(await served().get('/metrics')).toMatchObject({ status: 200 })
  })
})

describe('GET /metrics with a token', () => {
  const served = serving({ env: { SERVICE_METRICS_TOKEN: 'scrape-me-with-this-long-token' } })
  it('asks for it, and for nothing else', async () => {
    const status = async (authorization: string) =>
      (await served().send({ path: '/metrics', headers: { authorization } })).status
    expect(await status('Bearer scrape-me-with-this-long-token')).toBe(200)
    expect(await status('Bearer scrape-me-with-this-long-token-not')).toBe(401)
    expect(await status(`Bearer ${served().key}`)).toBe(401)
    expect((await served().send({ path: '/metrics' })).status).toBe(401)
  })
})

describe('GET /metrics and GET /api/health/system for those who pass', () => {
  const token = 'a-health-token-that-tests-may-know'
  const served = serving({ env: { SERVICE_HEALTH_TOKEN: token } })
  it.each([
    ['/metrics', 60, {}],
    ['/api/health/system', 12, { authorization: `Bearer ${token}` }],
  ])('%s: %s a minute and address', async (path, limit, headers) => {
    const from = async (address: string) =>
      (await served().send({ path, headers: { ...headers, 'x-forwarded-for': address } })).status
    for (let sent = 0; sent < limit; sent += 1) expect(await from('192.0.2.1')).toBe(200)
    expect(await from('192.0.2.1')).toBe(429)
    expect(await from('192.0.2.2')).toBe(200)
  })
})

describe('GET /.well-known/jwks.json', () => {
  const served = serving({ env: { SERVICE_LICENSE_PRIVKEY: undefined } })
  it('is an empty set without a key', async () => {
    expect(await served().send({ path: '/.well-known/jwks.json' })).toMatchObject({
      status: 200,
      body: { keys: [] },
    })
  })
})
