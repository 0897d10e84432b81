import { describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { buildHeartbeat } from '@svc/testing'
import { serving } from './support/serving.ts'

// On no route does one license read or change anything of another.
describe('two licenses', () => {
  const served = serving()

  /** Sets up a host of the first license with a claimed job, and the bearer of the second license. */
  async function stage() {
    const { plane, licenseId, post, license } = served()
    await post('/v1/telemetry/heartbeat', { fingerprint: 'fp', hostname: 'mine' })
    const { job } = await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    await post('/v1/jobs/claim', { fingerprint: 'fp' })
    await plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })
    const { id, key } = await license('other')
    return { job, otherId: id, as: { authorization: `Bearer ${key}` } }
  }
  const OTHER_WORDS = { status: 404, body: { error: 'job not found for this license' } }

  it('claim apart, under the same fingerprint too', async () => {
    const { as } = await stage()
    expect(await served().post('/v1/jobs/claim', { fingerprint: 'fp' }, as)).toMatchObject({ status: 204 })
  })

  it('cannot report on, log to or cancel each other’s jobs', async () => {
    const { job, as } = await stage()
    const post = (verb: string, body: object) => served().post(`/api/v1/jobs/${job.id}/${verb}`, body, as)
    expect(await post('status', { fingerprint: 'fp', state: 'failed' })).toMatchObject({
      status: 404,
      body: { error: 'job not found / not owned' },
    })
    expect(await post('logs', { fingerprint: 'fp', lines: [{ ts: 1, line: 'x' }] })).toMatchObject(
      OTHER_WORDS,
    )
    expect(await post('logs', { lines: [{ ts: 1, line: 'x' }] })).toMatchObject(OTHER_WORDS)
    expect(await post('cancel', {})).toMatchObject(OTHER_WORDS)
    expect(await served().plane.jobs.get(PLATFORM, job.id)).toMatchObject({
      state: 'claimed',
      cancel: undefined,
    })
    expect(await served().plane.jobs.logs(job.id, 0, 10)).toEqual([])
  })

  it('see their own hosts and backups only', async () => {
    const { as } = await stage()
    expect((await served().get('/v1/fleet/servers', as)).body).toEqual({ servers: [] })
    expect((await served().get('/v1/fleet/backups?host=mine', as)).body).toEqual({ backups: [] })
  })

  it('keep hosts of the same fingerprint apart, and do not renew each other’s leases', async () => {
    const { job, as, otherId } = await stage()
    served().clock.advance({ seconds: 200 })
    const beat = { fingerprint: 'fp', hostname: 'theirs', jobs: [{ id: job.id, attempt: 1 }] }
    await served().post('/v1/telemetry/heartbeat', beat, as)
    const { plane, licenseId } = served()
    expect(await plane.agents.list(ofLicense(licenseId))).toMatchObject([{ hostname: 'mine' }])
    expect(await plane.agents.list(ofLicense(otherId))).toMatchObject([{ hostname: 'theirs' }])
    served().clock.advance({ seconds: 101 })
    // The second job has been due for longer, so it comes before the job whose lease is lost.
    const claim = () => served().post('/v1/jobs/claim', { fingerprint: 'thief' })
    expect(await claim()).toMatchObject({ body: { job: { attempt: 1 } } })
    expect(await claim()).toMatchObject({ body: { job: { id: job.id, attempt: 2 } } })
  })

  it('hear of their own cancelled jobs only', async () => {
    const { job, as } = await stage()
    await served().post(`/api/v1/jobs/${job.id}/cancel`)
    const beat = await served().post('/v1/telemetry/heartbeat', { fingerprint: 'fp' }, as)
    const claim = await served().post('/v1/jobs/claim', { fingerprint: 'fp' }, as)
    expect([beat.headers['svc-cancel'], claim.headers['svc-cancel']]).toEqual([undefined, undefined])
  })

  it('lose every route with the next request after a revocation', async () => {
    const { otherId, as } = await stage()
    await served().plane.licenses.revoke(otherId)
    for (const path of [
      '/telemetry/heartbeat',
      '/jobs/claim',
      '/jobs/j/status',
      '/jobs/j/logs',
      '/jobs/j/cancel',
    ]) {
      expect(await served().post(`/api/v1${path}`, { fingerprint: 'fp' }, as)).toMatchObject({
        status: 401,
      })
    }
    expect(await served().get('/v1/fleet/servers', as)).toMatchObject({ status: 401 })
    expect(await served().get('/v1/fleet/backups', as)).toMatchObject({ status: 401 })
  })
})

// Only platform staff may see the deployments of a license without a tenant.
describe('deployments of a license without a tenant', () => {
  const served = serving({ env: { SERVICE_LICENSE_KEYS: 'bootstrap-key' } })
  const DEPLOY = { app: 'app', source: { type: 'image', image: 'app:1' } }

  async function cookieOf(role: string, tenantId?: string) {
    const { users, sessions } = served().plane
    const email = `${role}@${tenantId ?? 'platform'}.example`
    return (await sessions.mint(await users.add({ email, role, tenantId, password: undefined }))).cookie
  }

  /** Creates a deployment and returns the path of its log. */
  async function deployed(licenseId: string) {
    const { job } = await served().plane.jobs.enqueue({ licenseId, kind: 'deploy', payload: DEPLOY })
    return `/api/deploy/${job.deploymentId}/logs`
  }

  const LICENSES: readonly [string, () => Promise<string>][] = [
    ['issued to nobody', async () => (await served().license()).id],
    ['of the allow-list', () => served().plane.licenses.resolve(PLATFORM, 'bootstrap-key')],
    [
      'that is not known',
      async () => {
        const host = buildHeartbeat({ licenseId: 'lic_unknown' })
        await served().plane.agents.heartbeat({ ...host, jobs: [] })
        return host.licenseId
      },
    ],
  ]

  it.each(LICENSES)('are seen by people of the platform alone: %s', async (_, licenseOf) => {
    const path = await deployed(await licenseOf())
    const { id: tenantId } = await served().plane.tenants.add('Acme')
    for (const role of ['owner', 'developer']) {
      const headers = { cookie: await cookieOf(role, tenantId) }
      const none = await served().send({ path: '/api/deploy/dep_none/logs', headers })
      for (const query of ['', '?after=0']) {
        const answer = await served().send({ path: path + query, headers })
        expect(answer).toMatchObject({ status: 404, text: none.text })
      }
    }
    for (const role of ['operator', 'super_admin']) {
      const headers = { cookie: await cookieOf(role) }
      expect(await served().send({ path, headers })).toMatchObject({
        status: 200,
        body: { state: 'pending' },
      })
    }
  })

  it('and those of a tenant by its own people and those of the platform', async () => {
    const { tenants, licenses } = served().plane
    const [own, other] = [await tenants.add('Acme'), await tenants.add('Other')]
    const path = await deployed((await licenses.issue({ tenantId: own.id })).license.id)
    const statusOf = async (cookie: string) => (await served().send({ path, headers: { cookie } })).status
    expect(await statusOf(await cookieOf('owner', own.id))).toBe(200)
    expect(await statusOf(await cookieOf('owner', other.id))).toBe(404)
    expect(await statusOf(await cookieOf('operator'))).toBe(200)
  })
})
