import { describe, expect, it } from '@jest/globals'
import { ofLicense } from '@svc/core'
import { serving } from '../support/serving.ts'

const PATH = '/v1/telemetry/heartbeat'

describe('POST /v1/telemetry/heartbeat', () => {
  const served = serving()

  it('answers with exactly ack, next_interval and refresh, and stores what the host says', async () => {
    const { status, body } = await served().post(PATH, {
      fingerprint: 'fp',
      hostname: 'web-1',
      version: '1.2.3',
      state: 'busy',
      cpu_pct: 12.5,
      mem_pct: 0,
      disk_pct: 1e3,
      disk_total_gb: 80,
      backup_health: { last_capture_at: 1_700_000_000, success: true },
      restore_drill: { last_at: 1_700_000_001, pass: false },
      boot_id: 'boot',
      newer_agent: { says: 'more' },
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ack: true, next_interval: 60, refresh: expect.any(String) })
    const [agent] = await served().plane.agents.list(ofLicense(served().licenseId))
    expect(agent).toMatchObject({
      fingerprint: 'fp',
      hostname: 'web-1',
      reportedState: 'busy',
      cpuPct: 12.5,
      memPct: 0,
      diskPct: 1000,
      diskTotalGb: 80,
      lastCaptureAt: 1_700_000_000,
      captureSuccess: true,
      lastDrillAt: 1_700_000_001,
      drillPass: false,
      bootId: 'boot',
    })
  })

  it('needs nothing but a fingerprint', async () => {
    expect(await served().post(PATH, { fingerprint: 'f' })).toMatchObject({ status: 200 })
  })

  it('names the jobs that should stop in Svc-Cancel, and says nothing when there are none', async () => {
    const { plane, licenseId, post } = served()
    expect((await post(PATH, { fingerprint: 'fp' })).headers).not.toHaveProperty('svc-cancel')
    const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    await post('/v1/jobs/claim', { fingerprint: 'fp' })
    await post(`/api/v1/jobs/${job.id}/cancel`)
    expect((await post(PATH, { fingerprint: 'fp' })).headers['svc-cancel']).toBe(job.id)
    expect((await post(PATH, { fingerprint: 'other' })).headers).not.toHaveProperty('svc-cancel')
  })

  it('renews the leases of the jobs it lists', async () => {
    const { plane, licenseId, post, clock } = served()
    const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    await post('/v1/jobs/claim', { fingerprint: 'fp' })
    clock.advance({ seconds: 200 })
    await post(PATH, { fingerprint: 'fp', jobs: [{ id: job.id, attempt: 1 }] })
    clock.advance({ seconds: 200 })
    expect(await post('/v1/jobs/claim', { fingerprint: 'thief' })).toMatchObject({ status: 204 })
  })

  const details = (message: string) => ({
    status: 400,
    body: { error: 'invalid request body', details: [message] },
  })

  it.each([
    [{}, 'fingerprint: expected a string of 1 to 512 characters'],
    [{ fingerprint: '' }, 'fingerprint: expected a string of 1 to 512 characters'],
    [{ fingerprint: 'f'.repeat(513) }, 'fingerprint: expected a string of 1 to 512 characters'],
    [
      { fingerprint: 'f', hostname: 'h'.repeat(256) },
      'hostname: expected a string of at most 255 characters',
    ],
    [{ fingerprint: 'f', version: 'v'.repeat(129) }, 'version: expected a string of at most 128 characters'],
    [{ fingerprint: 'f', state: 's'.repeat(65) }, 'state: expected a string of at most 64 characters'],
    [{ fingerprint: 'f', boot_id: 'b'.repeat(129) }, 'boot_id: expected a string of at most 128 characters'],
    [{ fingerprint: 'f', cpu_pct: '1' }, 'cpu_pct: expected a finite number'],
    [{ fingerprint: 'f', hostname: null }, 'hostname: expected a string of at most 255 characters'],
    [{ fingerprint: 'f', backup_health: { success: 1 } }, 'backup_health.success: expected true or false'],
    [
      { fingerprint: 'f', jobs: [{ id: 'j' }] },
      'jobs.0.attempt: expected a whole number from 0 to 2147483647',
    ],
    [
      { fingerprint: 'f', jobs: Array(65).fill({ id: 'j', attempt: 1 }) },
      'jobs: expected a list of at most 64 entries',
    ],
  ])('refuses %j', async (body, message) => {
    expect(await served().post(PATH, body)).toMatchObject(details(message))
  })

  it('refuses 1e999, which is no finite number', async () => {
    const text = '{"fingerprint":"f","mem_pct":1e999}'
    expect(await served().post(PATH, text)).toMatchObject(details('mem_pct: expected a finite number'))
  })

  it('lists at most 12 of many faults', async () => {
    const jobs = Array(20).fill({})
    const { body } = await served().post(PATH, { fingerprint: 'f', jobs })
    expect((body as { details: unknown[] }).details).toHaveLength(12)
  })

  it('takes the largest legal values', async () => {
    const body = {
      fingerprint: 'f'.repeat(512),
      hostname: 'h'.repeat(255),
      version: 'v'.repeat(128),
      state: 's'.repeat(64),
      jobs: Array(64).fill({ id: 'j', attempt: 1 }),
    }
    expect(await served().post(PATH, body)).toMatchObject({ status: 200 })
  })
})

describe('a heartbeat without a signing key', () => {
  const served = serving({ env: { SERVICE_LICENSE_PRIVKEY: undefined } })
  it('has no refresh at all, not a null one', async () => {
    expect((await served().post(PATH, { fingerprint: 'fp' })).body).toEqual({ ack: true, next_interval: 60 })
  })
})

describe('a heartbeat of a host beyond those that the license may have', () => {
  const served = serving({ env: { SERVICE_HOSTS_PER_LICENSE: '1' } })
  it('is 429 with Retry-After and says so, and the known host goes on', async () => {
    expect(await served().post(PATH, { fingerprint: 'fp-1' })).toMatchObject({ status: 200 })
    expect(await served().post(PATH, { fingerprint: 'fp-2' })).toMatchObject({
      status: 429,
      body: { error: 'too many hosts for this license' },
      headers: { 'retry-after': '300' },
    })
    expect(await served().post(PATH, { fingerprint: 'fp-1' })).toMatchObject({ status: 200 })
    expect(await served().get('/v1/fleet/servers')).toMatchObject({ body: { servers: [{ id: 'agt_fp-1' }] } })
  })
})
