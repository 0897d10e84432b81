// Tests of the claims of a refresh, and of the values that the service passes to its stores.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM, verificationKeys, verifyToken } from '@svc/core'
import { type Heartbeat, REFRESH_TYP } from '@svc/core/ports'
import { buildHeartbeat, buildLicense, type TestPlane, testPlane } from '@svc/testing'

const ISSUER = 'https://svc.example'
const START_S = 1_767_603_600

let test: TestPlane
beforeEach(async () => {
  test = testPlane({ env: { SERVICE_PUBLIC_URL: ISSUER } })
  for (const id of ['lic_a', 'lic_b']) await test.storage.licenses.add(buildLicense({ id }))
})
afterEach(() => test[Symbol.asyncDispose]())

const beat = (fields: Partial<Heartbeat> = {}, on = test) =>
  on.plane.agents.heartbeat({
    ...buildHeartbeat({ licenseId: 'lic_a', fingerprint: 'fp-1' }),
    jobs: [],
    ...fields,
  })

const headerOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

/** Returns the claims of a refresh, verified with the keys that the service publishes. */
function opened(refresh: string | undefined, on = test) {
  const keys = verificationKeys(on.plane.signer.jwks())
  const verdict = verifyToken(refresh ?? '', {
    keys,
    typ: REFRESH_TYP,
    audience: 'svc-agent',
    now: on.clock.now(),
  })
  if (!verdict.ok) throw new Error(verdict.reason)
  return verdict.claims
}

/** Makes a host hold a job; returns the job's id. */
async function held(fingerprint = 'fp-1', licenseId = 'lic_a'): Promise<string> {
  await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {}, target: fingerprint })
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  return job?.id ?? ''
}

describe('a refresh', () => {
  it('says for whom it is, from when, for three days, and that the host is active', async () => {
    test.clock.advance({ ms: 999 })
    const { refresh } = await beat()
    expect(headerOf(refresh)).toEqual({ alg: 'EdDSA', typ: 'svc-rfr+jwt', kid: test.plane.signer.kid })
    expect(opened(refresh)).toEqual({
      iss: ISSUER,
      aud: 'svc-agent',
      sub: 'lic_a',
      fp: 'fp-1',
      iat: START_S,
      exp: START_S + 259_200,
      jti: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
      seq: 1,
      st: 'active',
      next: 60,
    })
  })

  it('of another host, license and moment says so, under a name of its own', async () => {
    const first = opened((await beat()).refresh)
    test.clock.advance({ seconds: 60 })
    const again = opened((await beat()).refresh)
    expect(again).toEqual({
      ...first,
      iat: START_S + 60,
      exp: START_S + 259_260,
      seq: 2,
      jti: expect.any(String),
    })
    const other = opened((await beat({ licenseId: 'lic_b', fingerprint: 'fp-2' })).refresh)
    expect(other).toMatchObject({ sub: 'lic_b', fp: 'fp-2', seq: 1 })
    expect(new Set([first.jti, again.jti, other.jti]).size).toBe(3)
  })

  it('names exactly the jobs of the host that should stop, as the answer does', async () => {
    const [stopped, , others] = [await held(), await held(), await held('fp-2')]
    for (const jobId of [stopped, others]) {
      await test.plane.jobs.cancel(ofLicense('lic_a'), { jobId, fingerprint: undefined, reason: '' })
    }
    const { cancel, refresh } = await beat()
    expect(cancel).toEqual([stopped])
    expect(opened(refresh).cancel).toEqual([stopped])
    expect(opened((await beat({ fingerprint: 'fp-2' })).refresh).cancel).toEqual([others])
  })

  it('says that the host is drained, until it is not', async () => {
    await beat()
    await test.plane.operations.run('fleet.drain', { host: 'agt_fp-1' }, 'root')
    expect(opened((await beat()).refresh).st).toBe('drained')
    expect(opened((await beat({ fingerprint: 'fp-2' })).refresh).st).toBe('active')
    await test.plane.operations.run('fleet.undrain', { host: 'agt_fp-1' }, 'root')
    expect(opened((await beat()).refresh).st).toBe('active')
  })

  it('and an activation of two services in one process each name the key of their own', async () => {
    const seed = Buffer.alloc(32, 9).toString('base64url')
    await using other = testPlane({ env: { SERVICE_LICENSE_PRIVKEY: seed } })
    expect(other.plane.signer.kid).not.toBe(test.plane.signer.kid)
    for (const on of [test, other, test]) {
      const { refresh } = await beat({}, on)
      expect(headerOf(refresh)).toEqual({ alg: 'EdDSA', typ: 'svc-rfr+jwt', kid: on.plane.signer.kid })
      expect(opened(refresh, on).fp).toBe('fp-1')
      const { token } = await on.plane.licenses.activate({
        key: (await on.license()).key,
        fingerprint: undefined,
      })
      expect(headerOf(token)).toEqual({ alg: 'EdDSA', typ: 'svc-act+jwt', kid: on.plane.signer.kid })
    }
  })
})

describe('a heartbeat renews the jobs that it lists', () => {
  const renewed = async (jobId: string, fields: Partial<Heartbeat>) => {
    const before = (await test.plane.jobs.get(PLATFORM, jobId)).availableAt
    test.clock.advance({ seconds: 200 })
    await beat(fields)
    const after = (await test.plane.jobs.get(PLATFORM, jobId)).availableAt
    return (after?.getTime() ?? 0) - (before?.getTime() ?? 0)
  }

  it('of this attempt, for the lease from now on', async () => {
    const jobId = await held()
    expect(await renewed(jobId, { jobs: [{ id: jobId, attempt: 1 }] })).toBe(200_000)
  })

  it.each<[string, (jobId: string) => Partial<Heartbeat>]>([
    ['another attempt', (id) => ({ jobs: [{ id, attempt: 2 }] })],
    ['an attempt before it', (id) => ({ jobs: [{ id, attempt: 0 }] })],
    ['another host', (id) => ({ fingerprint: 'fp-2', jobs: [{ id, attempt: 1 }] })],
    ['another license', (id) => ({ licenseId: 'lic_b', jobs: [{ id, attempt: 1 }] })],
    ['another job', () => ({ jobs: [{ id: 'job_0', attempt: 1 }] })],
    ['none', () => ({})],
  ])('and not by %s', async (_, fields) => {
    const jobId = await held()
    expect(await renewed(jobId, fields(jobId))).toBe(0)
  })
})
