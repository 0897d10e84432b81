// Apps with several hosts: jobs go through them, and data has one.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Job, PLATFORM } from '@svc/core'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'

const REPO = 'https://git.example/acme/shop.git'
const SHA = (digit: string) => digit.repeat(40)
const HOSTS = ['fp-1', 'fp-2', 'fp-3']

let test: TestPlane
let licenseId: string

beforeEach(async () => {
  test = testPlane({ env: { SERVICE_PUBLIC_URL: 'https://svc.example' } })
  licenseId = (await test.license()).id
  for (const fingerprint of HOSTS)
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
  const input = { name: 'shop', license: licenseId, hosts: HOSTS, repo_url: REPO }
  await test.plane.operations.run('apps.create', input, 'cli:ann')
})
afterEach(() => test[Symbol.asyncDispose]())

interface Made {
  readonly app: { readonly host?: string; readonly hosts?: string[] }
  readonly job: Pick<Job, 'id' | 'kind' | 'target' | 'payload'>
  readonly next?: { readonly job_id: string; readonly host: string }[]
  readonly releases: { readonly host: string; readonly sha: string; readonly state: string }[]
  readonly domains: { readonly state: string; readonly host: string; readonly reason?: string }[]
}
const run = async (verb: string, input: object = {}) =>
  (await test.plane.operations.run(`apps.${verb}`, { app: 'shop', ...input }, 'cli:ann')) as unknown as Made

/** Hands the job that is due to a host and ends it; undefined when none is. */
async function ends(fingerprint: string, state: 'succeeded' | 'failed' = 'succeeded') {
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  if (job === undefined) return undefined
  const end = { state, exitCode: undefined, error: state === 'failed' ? 'no' : undefined, attempt: undefined }
  await test.plane.jobs.report({ jobId: job.id, licenseId, fingerprint, ...end })
  test.clock.advance({ seconds: 1 })
  return job
}

/** Ends a job on every host; returns their payloads. */
async function endsOnAll() {
  const payloads: Job['payload'][] = []
  for (const host of HOSTS) payloads.push((await ends(host))?.payload ?? {})
  return payloads
}

describe('an app with several hosts', () => {
  it('is deployed on one after the other, with its commit, its turn and its maker', async () => {
    const made = await run('deploy', { sha: SHA('a') })
    expect([made.job.target, made.next?.map(({ host }) => host)]).toEqual(['fp-1', ['fp-2', 'fp-3']])
    for (const host of ['fp-2', 'fp-3']) expect(await ends(host)).toBeUndefined()
    const source = { type: 'git', repo_url: REPO, sha: SHA('a') }
    expect(await endsOnAll()).toEqual(
      [1, 2, 3].map((host) => ({ app: 'shop', source, roll: { host, of: 3 } })),
    )
    expect((await run('releases')).releases).toMatchObject(
      HOSTS.toReversed().map((host) => ({ host, sha: SHA('a'), state: 'succeeded', by: 'cli:ann' })),
    )
    const jobIds = [made.job.id, ...(made.next ?? []).map(({ job_id: id }) => id)]
    expect((await test.plane.jobs.list(PLATFORM, { limit: 9 })).map(({ id }) => id)).toEqual(
      jobIds.toReversed(),
    )
  })

  it('that one host refuses leaves the next ones as they are, and its repeat goes on with them', async () => {
    await run('deploy', { sha: SHA('a') })
    await endsOnAll()
    const made = await run('deploy', { sha: SHA('b') })
    await ends('fp-1')
    const refused = await ends('fp-2', 'failed')
    expect([refused?.id, await ends('fp-3')]).toEqual([made.next?.[0]?.job_id, undefined])
    await test.plane.jobs.retry(PLATFORM, refused?.id ?? '')
    expect((await ends('fp-2'))?.payload).toMatchObject({ roll: { host: 2, of: 3 } })
    expect((await ends('fp-3'))?.payload).toMatchObject({ source: { sha: SHA('b') }, roll: { host: 3 } })
    expect((await run('rollback')).job.payload).toMatchObject({
      source: { sha: SHA('a') },
      roll: { host: 1 },
    })
    expect((await endsOnAll()).map(({ source }) => source)).toMatchObject(
      HOSTS.map(() => ({ sha: SHA('a') })),
    )
  })

  it('has its orders carried out on all of them, or on the one that is named', async () => {
    await run('deploy', { sha: SHA('a') })
    await endsOnAll()
    for (const [verb, input] of [
      ['stop', {}],
      ['start', {}],
      ['restart', {}],
      ['scale', { processes: [{ process: 'web', count: 2 }] }],
      ['maintenance', { on: true }],
    ] as const) {
      const { job } = await run(verb, input)
      const kinds: (string | undefined)[] = []
      for (const host of HOSTS) kinds.push((await ends(host))?.kind)
      expect([verb, kinds]).toEqual([verb, HOSTS.map(() => job.kind)])
    }
    const alone = await run('restart', { host: 'fp-2' })
    expect([alone.job.target, alone.next, alone.job.payload]).toEqual([
      'fp-2',
      undefined,
      expect.not.objectContaining({ roll: expect.anything() }),
    ])
  })

  it('has its domains led on each, with the state of the host that is at it', async () => {
    await run('domains-add', { domain: 'shop.example.com' })
    const seen = async () => (await run('domains-list')).domains.map(({ state, host }) => [state, host])
    expect(await seen()).toEqual([['pending', 'fp-1']])
    await ends('fp-1')
    expect(await seen()).toEqual([['pending', 'fp-2']])
    await ends('fp-2', 'failed')
    expect((await run('domains-list')).domains).toMatchObject([
      { state: 'failed', host: 'fp-2', reason: 'no' },
    ])
    await run('domains-add', { domain: 'shop.example.com' })
    await endsOnAll()
    expect(await seen()).toEqual([['live', 'fp-3']])
    await run('domains-remove', { domain: 'shop.example.com' })
    for (const host of ['fp-3', 'fp-1', 'fp-2']) expect((await ends(host))?.kind).toBe('unexpose')
    expect(await seen()).toEqual([])
  })

  it('gets a push on all of its hosts', async () => {
    const { hook } = await test.plane.gitHooks.set(licenseId, 'shop', { fingerprint: 'fp-2', repoUrl: REPO })
    await test.plane.gitPushes.receive(
      { licenseId, hook },
      {
        headers: {},
        document: { ref: 'refs/heads/main', sha: SHA('c'), before: '', delivery_id: 'one' },
        bodyDigest: 'd'.repeat(64),
        address: '192.0.2.1',
      },
    )
    expect((await endsOnAll()).map(({ source, roll }) => [source, roll])).toMatchObject(
      [1, 2, 3].map((host) => [{ sha: SHA('c') }, { host, of: 3 }]),
    )
  })

  it('is shown with all, and goes back to one', async () => {
    expect((await run('show')).app).toMatchObject({ host: 'fp-1', hosts: HOSTS })
    expect((await run('set', { host: 'fp-2' })).app).not.toHaveProperty('hosts')
    expect((await run('show')).app.host).toBe('fp-2')
    expect((await run('set', { host: '' })).app).not.toHaveProperty('host')
  })

  it('has no host twice, none of another license, and no database', async () => {
    for (const wish of [{ hosts: ['fp-1', 'fp-1'] }, { hosts: HOSTS, host: 'fp-1' }])
      await expect(run('set', wish)).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(run('set', { hosts: ['fp-1', 'none'] })).rejects.toMatchObject({ code: 'not-found' })
    await expect(run('databases-create', { name: 'main' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'shop has 3 hosts, and a database is on one: svc apps set shop --host HOST',
    })
    await run('set', { host: 'fp-1' })
    await run('databases-create', { name: 'main' })
    await expect(run('set', { hosts: HOSTS })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('svc apps databases unlink shop main comes first'),
    })
    expect((await run('show')).app).not.toHaveProperty('hosts')
  })
})
