import { describe, expect, it } from '@jest/globals'
import { buildHeartbeat, testPlane } from '@svc/testing'

const SHA = 'a'.repeat(40)

describe('svc git test', () => {
  it.each([
    [200, { ok: true, accepted: false, ignored: 'stale' }, 'svc apps rollback shop --to aaaaaaaaaaaa does'],
    [200, { ok: true, accepted: false, ignored: 'branch' }, undefined],
    [202, { ok: true, accepted: true, jobs: [] }, undefined],
    [502, 'no document', undefined],
  ])('after %s %j advises %s', async (status, answer, advice) => {
    const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer))
    const request = async () => ({ ok: true as const, status, headers: new Headers(), body })
    await using test = testPlane({
      env: { SERVICE_PUBLIC_URL: 'https://svc.example' },
      parts: { outbound: { request, [Symbol.asyncDispose]: async () => {} } },
    })
    const { id: licenseId } = await test.license()
    await test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint: 'fp-1' }), jobs: [] })
    const repoUrl = 'https://git.example/acme/shop.git'
    await test.plane.gitHooks.set(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl })
    const told = await test.plane.operations.run('git.test', { id: 'shop', sha: SHA }, 'cli:ann')
    expect(told.advice).toEqual(advice === undefined ? undefined : expect.stringContaining(advice))
  })
})
