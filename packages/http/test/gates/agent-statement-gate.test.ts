import { describe, expect, it } from '@jest/globals'
import { serving } from '../support/serving.ts'

const FINGERPRINT = { fingerprint: 'fp' }
const UNAUTHORIZED = { status: 401, body: { error: 'unauthorized' } }

describe.each([
  ['/v1/telemetry/heartbeat', 200, 30],
  ['/v1/jobs/claim', 204, 60],
])('a key that was good a moment ago, on %s', (path, answered, perMinute) => {
  const served = serving()
  const good = async () => expect((await served().post(path, FINGERPRINT)).status).toBe(answered)

  it('is asked again with every request: suspended, reinstated, revoked', async () => {
    const { plane, licenseId, post } = served()
    await good()
    await plane.licenses.suspend(licenseId)
    expect(await post(path, FINGERPRINT)).toMatchObject(UNAUTHORIZED)
    await plane.licenses.reinstate(licenseId)
    await good()
    await plane.licenses.revoke(licenseId)
    expect(await post(path, FINGERPRINT)).toMatchObject(UNAUTHORIZED)
    expect(await post(path, FINGERPRINT)).toMatchObject(UNAUTHORIZED)
  })

  it('gets its 401 before a bad body gets its 400', async () => {
    const { plane, licenseId, post } = served()
    await good()
    expect((await post(path, { fingerprint: 7 })).status).toBe(400)
    await plane.licenses.revoke(licenseId)
    expect(await post(path, { fingerprint: 7 })).toMatchObject(UNAUTHORIZED)
  })

  it('gets its 401 before a request too many gets its 429', async () => {
    const { plane, licenseId, post } = served()
    for (let sent = 0; sent < perMinute; sent += 1) await good()
    expect((await post(path, FINGERPRINT)).status).toBe(429)
    await plane.licenses.revoke(licenseId)
    expect(await post(path, FINGERPRINT)).toMatchObject(UNAUTHORIZED)
  })

  it('counts every request, the first one included', async () => {
    const { clock, post } = served()
    for (let sent = 0; sent < perMinute; sent += 1) await good()
    expect((await post(path, FINGERPRINT)).status).toBe(429)
    clock.advance({ seconds: 60 })
    await good()
  })
})

describe('a license that ends while its hosts are calling', () => {
  const served = serving()

  it('ends for the next heartbeat and the next claim', async () => {
    const { plane, clock, post } = served()
    const expiresAt = new Date(clock.now().getTime() + 60_000)
    const { key } = await plane.licenses.issue({ expiresAt })
    const headers = { authorization: `Bearer ${key}` }
    const statuses = async () => [
      (await post('/v1/telemetry/heartbeat', FINGERPRINT, headers)).status,
      (await post('/v1/jobs/claim', FINGERPRINT, headers)).status,
    ]
    expect(await statuses()).toEqual([200, 204])
    clock.advance({ seconds: 59 })
    expect(await statuses()).toEqual([200, 204])
    clock.advance({ seconds: 1 })
    expect(await statuses()).toEqual([401, 401])
  })
})
