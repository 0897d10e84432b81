import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Job, ofLicense } from '@svc/core'
import type { App } from '@svc/core/ports'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'

const REPO = 'https://git.example/acme/shop.git'
const SHA = (digit: string) => digit.repeat(40)

let test: TestPlane
let licenseId: string
let app: App

beforeEach(async () => {
  test = testPlane({ env: { SERVICE_PUBLIC_URL: 'https://svc.example' } })
  licenseId = (await test.license()).id
  for (const fingerprint of ['fp-1', 'fp-2'])
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
  app = await test.plane.apps.create(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
})
afterEach(() => test[Symbol.asyncDispose]())

const run = async (verb: string, input: object = {}) =>
  (await test.plane.operations.run(`apps.${verb}`, { app: 'shop', ...input }, 'cli:ann')) as unknown as {
    app: { state: string; live_deployment?: { sha: string }; last_deployment?: { state: string } }
    job: Pick<Job, 'id' | 'kind' | 'target' | 'payload'>
    deployment?: object
    note?: string
  }

/** Hands out the job that is due and ends it. */
async function ends(state: 'succeeded' | 'failed' = 'succeeded', fingerprint = 'fp-1'): Promise<Job> {
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  if (job === undefined) throw new Error('no job is due')
  const end = { state, exitCode: undefined, error: undefined, attempt: undefined }
  await test.plane.jobs.report({ jobId: job.id, licenseId, fingerprint, ...end })
  test.clock.advance({ seconds: 1 })
  return job
}
async function deployed(digit: string, state: 'succeeded' | 'failed' = 'succeeded') {
  await run('deploy', { sha: SHA(digit), ref: 'refs/heads/main' })
  return ends(state)
}
const source = { type: 'git', repo_url: REPO, sha: SHA('a'), ref: 'refs/heads/main' }

describe('a redeploy without a source', () => {
  const redeploy = (app = 'shop') =>
    test.plane.jobs.enqueue({
      licenseId,
      kind: 'redeploy',
      payload: { app, env: { A: 'b' } },
      target: 'fp-1',
    })

  it('has the last source of its app, whatever came of it', async () => {
    await deployed('b')
    await deployed('a', 'failed')
    const { job } = await redeploy()
    expect(job.payload).toEqual({ app: 'shop', source, env: { A: '***' } })
    const [release] = await test.plane.apps.releases(app, 1)
    expect(release).toMatchObject({ jobId: job.id, source })
  })

  it('is refused in words when its app was never deployed, or by another license alone', async () => {
    await deployed('a')
    const { id } = await test.license()
    const refused = { code: 'conflict', message: expect.stringContaining('was never deployed') }
    await expect(redeploy('blog')).rejects.toMatchObject(refused)
    const payload = { app: 'shop' }
    await expect(test.plane.jobs.enqueue({ licenseId: id, kind: 'redeploy', payload })).rejects.toMatchObject(
      refused,
    )
    await expect(test.plane.jobs.enqueue({ licenseId, kind: 'deploy', payload })).rejects.toMatchObject({
      code: 'invalid-input',
    })
  })
})

describe('an app', () => {
  it('that is stopped ends on its host, and starts as its live release', async () => {
    await deployed('a')
    await deployed('b', 'failed')
    expect((await run('stop')).job).toMatchObject({ kind: 'stop', target: 'fp-1', payload: { app: 'shop' } })
    expect((await ends()).kind).toBe('stop')
    const start = await run('start')
    expect(start).not.toHaveProperty('note')
    expect(start.deployment).toBeDefined()
    expect(start.job).toMatchObject({ kind: 'redeploy', target: 'fp-1' })
    expect(start.job.payload).toEqual({ app: 'shop', source })
  })

  it('that was sent to its host is deployed again, gone back to and started from there', async () => {
    const upload = (digit: string) => ({ type: 'upload', sha: SHA(digit) })
    expect((await run('deploy', { sha: SHA('a'), uploaded: true })).job.payload).toMatchObject({
      source: upload('a'),
    })
    await ends()
    expect((await run('deploy')).job.payload).toMatchObject({ source: upload('a') })
    await ends()
    await deployed('b')
    const { payload } = (await run('rollback')).job
    expect(payload).toMatchObject({ source: upload('a') })
    expect(payload).not.toHaveProperty('with_env')
    await ends()
    expect((await run('start')).job.payload).toMatchObject({ source: upload('a') })
    await ends()
    expect((await run('rollback', { to: 'bbbb', with_env: true })).job.payload).toMatchObject({
      with_env: true,
      source: { type: 'git', sha: SHA('b') },
    })
    expect(await test.plane.operations.run('apps.releases', { app: 'shop' }, 'cli:ann')).toMatchObject({
      releases: [{ sha: SHA('b') }, { uploaded: true }, { uploaded: true }, { sha: SHA('b') }, {}, {}],
    })
    for (const wish of [{ uploaded: true }, { uploaded: true, sha: SHA('a'), ref: 'main' }])
      await expect(run('deploy', wish)).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('that is restarted has its processes replaced, though they run already', async () => {
    await deployed('a')
    expect((await run('restart')).job.payload).toEqual({ app: 'shop', source, restart: true })
    await ends()
    expect((await run('deploy', { force: true })).job.payload).toMatchObject({ restart: true })
    await ends()
    expect((await run('deploy')).job.payload).not.toHaveProperty('restart')
  })

  it('is shown with its state and its live release', async () => {
    const shown = async () => {
      const { state, live_deployment: live, last_deployment: last } = (await run('show')).app
      return [state, live?.sha[0], last?.state]
    }
    expect(await shown()).toEqual(['never_deployed', undefined, undefined])
    await deployed('a')
    await deployed('b', 'failed')
    expect(await shown()).toEqual(['deployed', 'a', 'failed'])
    await run('stop')
    expect(await shown()).toEqual(['deployed', 'a', 'failed'])
    await ends('failed')
    expect(await shown()).toEqual(['deployed', 'a', 'failed'])
    await run('stop')
    await ends()
    expect(await shown()).toEqual(['stopped', 'a', 'failed'])
    await run('start')
    await ends()
    expect(await shown()).toEqual(['deployed', 'a', 'succeeded'])
    await test.plane.jobs.enqueue({ licenseId, kind: 'remove', payload: { app: 'shop' }, target: 'fp-1' })
    await ends()
    expect(await shown()).toEqual(['removed', 'a', 'succeeded'])
  })

  it('says who deployed each release: an operator, or a push', async () => {
    const { plane } = test
    await deployed('a')
    await run('rollback', { to: SHA('a') })
    await ends()
    await run('start')
    const { id } = await ends()
    await plane.operations.run('jobs.retry', { job: id }, 'cli:bob')
    await ends()
    const payload = { app: 'shop', source }
    await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload, target: 'fp-1' })
    await ends()
    const enqueue = { kind: 'redeploy', license: licenseId, host: 'fp-1', payload: { app: 'shop' } } as const
    await plane.operations.run('jobs.enqueue', enqueue, 'cli:eve')
    await ends()
    const { hook } = await plane.gitHooks.set(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
    const document = { ref: 'refs/heads/main', sha: SHA('c'), pusher: 'kim' }
    const message = { headers: {}, document, bodyDigest: 'x', address: '192.0.2.7' }
    await plane.gitPushes.receive({ licenseId, hook }, message)
    await ends()
    const { releases } = (await plane.operations.run(
      'apps.releases',
      { app: 'shop' },
      'cli:ann',
    )) as unknown as {
      releases: { by?: string }[]
    }
    const by = ['git push by kim', 'cli:eve', undefined, 'cli:bob', 'cli:ann', 'cli:ann', 'cli:ann']
    expect(releases.map((release) => release.by)).toEqual(by)
    expect((await run('show')).app).toMatchObject({ live_deployment: { by: 'git push by kim' } })
  })

  it('that is in the wished state already is said to be, and the job makes sure of it', async () => {
    await deployed('a')
    expect((await run('start')).note).toContain('was not stopped')
    await ends()
    expect(await run('stop')).not.toHaveProperty('note')
    await ends()
    expect((await run('stop')).note).toContain('is stopped already')
    expect((await ends()).kind).toBe('stop')
  })

  it('is stopped on another host by its name, as after a move; that says nothing of its own', async () => {
    await deployed('a')
    await run('set', { host: 'fp-2' })
    expect((await run('stop', { host: 'fp-1' })).job.target).toBe('fp-1')
    await ends()
    expect((await run('show')).app.state).toBe('deployed')
    expect((await run('start')).job.target).toBe('fp-2')
    await expect(run('stop', { host: 'nowhere' })).rejects.toMatchObject({ code: 'not-found' })
  })

  it('starts from where its repository is now; without one, from where it was', async () => {
    await deployed('a')
    await run('set', { repo_url: `${REPO}x` })
    expect((await run('restart')).job.payload.source).toEqual({ ...source, repo_url: `${REPO}x` })
    await run('set', { repo_url: '' })
    expect((await run('restart')).job.payload.source).toEqual(source)
  })

  it('of an image starts from the image that its host kept of that deploy', async () => {
    const image = { type: 'image', image: 'registry.example/shop:1' }
    const payload = { app: 'shop', source: image }
    const order = { licenseId, kind: 'deploy', payload, target: 'fp-1' } as const
    const { job } = await test.plane.jobs.enqueue(order)
    await ends()
    expect((await run('start')).job.payload.source).toEqual({ ...image, kept: [job.id] })
  })

  it.each(['stop', 'start', 'restart'])('is refused in words: %s', async (verb) => {
    const refused = (input: object = {}) =>
      run(verb, input).catch(({ code, message }) => `${code}: ${message}`)
    expect(await refused({ app: 'none' })).toMatch(/^not-found: .*there is no app none/)
    expect(await refused()).toMatch(/^conflict: .*shop has no good deployment yet/)
    await deployed('a')
    await run('set', { host: '' })
    expect(await refused()).toMatch(/^conflict: .*shop has no host: --host HOST/)
    expect((await test.plane.jobs.list(ofLicense(licenseId), { limit: 9 })).length).toBe(1)
    expect(app.fingerprint).toBe('fp-1')
  })
})

describe('counts of processes and maintenance', () => {
  it('go to the host with the live release, and are refused for an app that does not run', async () => {
    await expect(run('scale', { processes: [{ process: 'web', count: 2 }] })).rejects.toMatchObject({
      code: 'conflict',
    })
    await deployed('a')
    const scaled = await run('scale', {
      processes: [
        { process: 'web', count: 3 },
        { process: 'worker', count: 0 },
      ],
    })
    expect(scaled.job).toMatchObject({ kind: 'redeploy', target: 'fp-1' })
    expect(scaled.deployment).toBeUndefined()
    expect(scaled.job.payload).toEqual({ app: 'shop', source, scale: { web: 3, worker: 0 } })
    await ends()
    for (const on of [true, false]) {
      const { job } = await run('maintenance', { on })
      expect(job.payload).toEqual({ app: 'shop', source, maintenance: on })
      await ends()
    }
    expect((await test.plane.apps.releases(app, 10)).map(({ state }) => state)).toEqual(['succeeded'])
    expect((await run('start')).job.payload).toEqual({ app: 'shop', source })
    await ends()
    await run('stop')
    await ends()
    const refused = { code: 'conflict', message: expect.stringContaining('svc apps start shop comes first') }
    await expect(run('maintenance', { on: true })).rejects.toMatchObject(refused)
    await expect(run('scale', { processes: [] })).rejects.toMatchObject({ code: 'invalid-input' })
  })
})
