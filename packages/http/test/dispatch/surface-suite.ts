import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildId } from '@svc/testing'
import { type Mount, type Mounted, mounted } from '../../../../test/support/mounted.ts'

/** Tests for every way of mounting: one success and each kind of refusal, on each route. */
export function surfaceSuite(mount: Mount): void {
  let served: Mounted
  beforeEach(async () => {
    served = await mounted(mount)
  })
  afterEach(() => served[Symbol.asyncDispose]())

  for (const prefix of ['/v1', '/api/v1']) {
    it(`carries a job from claim to its end under ${prefix}`, async () => {
      const { job } = await served.plane.jobs.enqueue({
        licenseId: served.licenseId,
        kind: 'stop',
        payload: { app: 'shop' },
      })
      const post = (path: string, body: unknown) => served.post(`${prefix}${path}`, body)
      expect(await post('/license/activate', { fingerprint: 'fp' })).toMatchObject({ status: 200 })
      expect(await post('/telemetry/heartbeat', { fingerprint: 'fp' })).toMatchObject({ status: 200 })
      const claimed = await post('/jobs/claim', { fingerprint: 'fp' })
      expect(claimed).toMatchObject({
        status: 200,
        body: { job: { id: job.id, state: 'claimed', attempt: 1 } },
      })
      const at = `/jobs/${job.id}`
      expect(await post(`${at}/logs`, { lines: [{ ts: 1, line: 'hello' }] })).toMatchObject({
        status: 200,
        body: { ok: true, accepted: 1 },
      })
      expect(
        await post(`${at}/status`, { fingerprint: 'fp', state: 'succeeded', exit_code: 0 }),
      ).toMatchObject({
        status: 200,
        body: { ok: true },
      })
      expect(await post('/jobs/claim', { fingerprint: 'fp' })).toMatchObject({ status: 204, text: '' })
      expect(await served.plane.jobs.get(PLATFORM, job.id)).toMatchObject({ state: 'succeeded', exitCode: 0 })
      expect(await served.plane.jobs.logs(job.id, 0, 10)).toMatchObject([{ line: 'hello' }])
    })

    it(`reads the fleet under ${prefix}`, async () => {
      await served.post(`${prefix}/telemetry/heartbeat`, { fingerprint: buildId('fp'), hostname: 'one' })
      expect(await served.get(`${prefix}/fleet/servers`)).toMatchObject({
        body: { servers: [{ hostname: 'one' }] },
      })
      expect(await served.get(`${prefix}/fleet/backups`)).toMatchObject({
        body: { backups: [{ hostname: 'one' }] },
      })
    })
  }

  it('answers probes, metrics and keys at the root', async () => {
    expect(await served.get('/healthz')).toMatchObject({ status: 200, body: { ok: true } })
    expect(await served.get('/livez')).toMatchObject({ status: 200, body: { ok: true } })
    expect(await served.get('/metrics')).toMatchObject({ status: 200 })
    expect(await served.get('/.well-known/jwks.json')).toMatchObject({ body: { keys: [{ kty: 'OKP' }] } })
  })

  it('refuses a stranger, broken JSON, another method and an unknown path', async () => {
    const stranger = { authorization: 'Bearer nobody' }
    expect(await served.post('/v1/jobs/claim', {}, stranger)).toMatchObject({ status: 401 })
    expect(await served.post('/v1/jobs/claim', '{')).toMatchObject({ body: { error: 'invalid JSON body' } })
    expect(await served.get('/v1/jobs/claim')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(await served.get('/v1/nothing')).toMatchObject({ status: 404, body: { error: 'not found' } })
  })

  it('takes a large log and refuses one over the limit', async () => {
    const lines = Array.from({ length: 1000 }, (_, ts) => ({ ts, line: 'x'.repeat(4096) }))
    expect(await served.post('/v1/jobs/job_none/logs', { lines })).toMatchObject({ status: 404 })
    expect(await served.post('/v1/jobs/job_none/logs', 'x'.repeat(25 * 1024 * 1024))).toMatchObject({
      status: 413,
      body: { error: 'payload too large' },
    })
  })
}
