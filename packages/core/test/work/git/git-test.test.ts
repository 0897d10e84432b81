import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'

const SHA = 'a'.repeat(40)
const REPO = 'https://git.example/acme/shop.git'
const BACK = 'svc apps rollback shop --to aaaaaaaaaaaa'
const TAKEN = { ok: true, accepted: true, jobs: [] }

let test: TestPlane
let licenseId: string
let answer: { status: number; body: Buffer }

beforeEach(async () => {
  const request = async () => ({ ok: true as const, headers: new Headers(), ...answer })
  test = testPlane({
    env: { SERVICE_PUBLIC_URL: 'https://svc.example' },
    parts: { outbound: { request, [Symbol.asyncDispose]: async () => {} } },
  })
  licenseId = (await test.license()).id
  await test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint: 'fp-1' }), jobs: [] })
  await test.plane.gitHooks.set(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
})
afterEach(() => test[Symbol.asyncDispose]())

/** The advice of a test whose delivery gets this answer. */
async function advice(status: number, document: unknown): Promise<unknown> {
  answer = { status, body: Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)) }
  return (await test.plane.operations.run('git.test', { id: 'shop', sha: SHA }, 'cli:ann')).advice
}
async function deploy(...digits: readonly string[]): Promise<void> {
  for (const digit of digits) {
    test.clock.advance({ seconds: 1 })
    const payload = { app: 'shop', source: { type: 'git', repo_url: REPO, sha: digit.repeat(40) } }
    await test.plane.jobs.enqueue({ licenseId, kind: 'deploy', payload })
  }
}

describe('svc git test', () => {
  it.each([
    [200, { ok: true, accepted: false, ignored: 'stale' }, `${BACK} does`],
    [200, { ok: true, accepted: false, ignored: 'branch' }, undefined],
    [202, TAKEN, undefined],
    [502, 'no document', undefined],
  ])('after %s %j advises %s', async (status, document, said) => {
    expect(await advice(status, document)).toEqual(
      said === undefined ? undefined : expect.stringContaining(said),
    )
  })

  it.each([
    [['a', 'b'], 202, `next time ${BACK}`],
    [['b', 'a'], 202, undefined],
    [['a', 'b', 'a'], 202, undefined],
    [['b', 'c'], 202, undefined],
    [['a', 'b'], 502, undefined],
  ])('of a commit after deployments of %j, answered by %s, advises %s', async (digits, status, said) => {
    await deploy(...digits)
    expect(await advice(status, TAKEN)).toEqual(
      said === undefined ? undefined : expect.stringContaining(said),
    )
  })
})
