import { generateKeyPairSync, sign } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Job, ofLicense, PLATFORM } from '@svc/core'
import { claimRequest, proofBytes, withoutLogins } from '@svc/core/adapters'
import { type App, appIdOf } from '@svc/core/ports'
import { buildHeartbeat, buildLicense, type TestPlane, testPlane } from '@svc/testing'

const REPO = 'https://git.example/acme/shop.git'
const SHA = (digit: string) => digit.repeat(40)
const KEY = 'claim-key-1'
const SECRET = 'a value that nobody sees'

let test: TestPlane
let licenseId: string
let app: App
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')

beforeEach(async () => {
  test = testPlane({ env: { SERVICE_PUBLIC_URL: 'https://svc.example' } })
  licenseId = (await test.license()).id
  for (const fingerprint of ['fp-1', 'fp-2']) await beat(fingerprint)
  app = await test.plane.apps.create(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
})
afterEach(() => test[Symbol.asyncDispose]())

const beat = (fingerprint: string) =>
  test.plane.agents.heartbeat({
    ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
    jobs: [],
  })
const run = (name: string, input: object) => test.plane.operations.run(name, input, 'cli:ann')
const rawKey = (key = publicKey) =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')

/** The headers by which a host proves a key for a request; of the claim under `KEY` when not given. */
function proof({ request = claimRequest(KEY), fingerprint = 'fp-1', pair = { publicKey, privateKey } } = {}) {
  const atMs = test.clock.now().getTime()
  const signature = sign(null, proofBytes(fingerprint, atMs, request), pair.privateKey).toString('base64')
  return { key: rawKey(pair.publicKey), proof: `t=${atMs};sig=${signature}` }
}

/** Lets the plane keep the key of a host, as its agent does when it starts. */
const showKey = (fingerprint = 'fp-1') => {
  const request = 'GET\n/api/v1/access/pending'
  const gone = new AbortController().signal
  const headers = proof({ request, fingerprint })
  return test.plane.access.pending({ licenseId, fingerprint, waitSeconds: 0, gone, headers })
}

/** Claims the job that is due for a host, and hands it out as the route does. */
async function handed(claim: { fingerprint?: string; claimKey?: string | undefined; proof?: object } = {}) {
  const { fingerprint = 'fp-1', claimKey = KEY } = claim
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  if (job === undefined) throw new Error('no job is due')
  const headers = { key: undefined, proof: undefined, ...(claim.proof ?? proof({ fingerprint })) }
  const asked = { fingerprint, claimKey: 'claimKey' in claim ? claim.claimKey : claimKey, proof: headers }
  const { job: given, env } = await test.plane.appVariables.handOut(job, asked)
  return { ...given, env }
}
const finish = (job: Pick<Job, 'id'>, state: 'succeeded' | 'failed') =>
  test.plane.jobs.report({
    ...{ jobId: job.id, licenseId, fingerprint: 'fp-1', attempt: undefined, state },
    ...{ exitCode: undefined, error: undefined },
  })

describe('apps', () => {
  it('are made by a hook and by a deploy that names them, and reading makes none', async () => {
    const { plane } = test
    await plane.gitHooks.set(licenseId, 'hooked', { fingerprint: 'fp-1', repoUrl: REPO })
    const source = { type: 'git', repo_url: REPO, sha: SHA('a') }
    await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload: { app: 'deployed', source } })
    await plane.jobs.enqueue({ licenseId, kind: 'stop', payload: { app: 'stopped' } })
    await run('apps.show', { app: 'unknown' }).catch(() => {})
    const names = (await plane.apps.list(ofLicense(licenseId))).map(({ name }) => name)
    expect(names).toEqual(['deployed', 'hooked', 'shop'])
  })

  it('have the host and the repository of their git hook, until they have their own', async () => {
    const { plane } = test
    await plane.gitHooks.set(licenseId, 'blog', { fingerprint: 'fp-2', repoUrl: `${REPO}/blog` })
    const shown = async () => ((await run('apps.show', { app: 'blog' })) as { app: object }).app
    expect(await shown()).toMatchObject({
      host: 'fp-2',
      repo_url: `${REPO}/blog`,
      git_hook: expect.any(String),
    })
    await run('apps.set', { app: 'blog', host: 'fp-1', repo_url: REPO })
    expect(await shown()).toMatchObject({ host: 'fp-1', repo_url: REPO })
    await run('apps.set', { app: 'blog', host: '', repo_url: '' })
    expect(await shown()).toMatchObject({ host: 'fp-2', repo_url: `${REPO}/blog` })
  })

  it.each([
    ['conflict', 'apps.create', () => ({ name: 'shop', license: licenseId })],
    ['invalid-input', 'apps.create', () => ({ name: 'Not A Name', license: licenseId })],
    ['invalid-input', 'apps.create', () => ({ name: 'x', license: licenseId, repo_url: 'file:///etc' })],
    ['invalid-input', 'apps.create', () => ({ name: 'x', license: licenseId, repo_url: '/srv/x.git' })],
    ['invalid-input', 'apps.set', () => ({ app: 'shop' })],
    ['not-found', 'apps.set', () => ({ app: 'shop', host: 'nowhere' })],
    ['not-found', 'apps.deploy', () => ({ app: 'none' })],
    ['conflict', 'apps.deploy', () => ({ app: 'shop' })],
    ['conflict', 'apps.rollback', () => ({ app: 'shop' })],
    ['conflict', 'apps.rollback', () => ({ app: 'shop', to: 'abcd' })],
    ['invalid-input', 'apps.deploy', () => ({ app: 'shop', sha: 'main' })],
  ])('refuse with %s: %s %#', async (code, name, input) => {
    await expect(run(name, input())).rejects.toMatchObject({ code })
  })

  it('of two licenses with one name are told apart by id and by license', async () => {
    const license = buildLicense()
    await test.storage.licenses.add(license)
    await test.plane.apps.create(license.id, 'shop', { fingerprint: undefined, repoUrl: undefined })
    await expect(run('apps.show', { app: 'shop' })).rejects.toMatchObject({ code: 'ambiguous' })
    for (const named of [{ app: app.id }, { app: 'shop', license: licenseId }])
      expect(await run('apps.show', named)).toMatchObject({ app: { id: app.id } })
    await expect(run('apps.env-list', { app: app.id, license: license.id })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('deploy a commit of their repository on their host, with the credentials of their hook', async () => {
    const { plane } = test
    const clone = { kind: 'token' as const, token: 'a-token' }
    const { hook } = await plane.gitHooks.set(licenseId, 'blog', {
      fingerprint: 'fp-2',
      repoUrl: REPO,
      clone,
    })
    const { job } = await plane.apps.deploy(await plane.apps.resolve(PLATFORM, 'blog'), {
      sha: SHA('a'),
      ref: 'refs/heads/main',
    })
    expect(job).toMatchObject({ kind: 'deploy', target: 'fp-2', app: 'blog' })
    const auth = { type: 'token', hook: hook.id }
    const source = { type: 'git', repo_url: REPO, sha: SHA('a'), ref: 'refs/heads/main' }
    expect(job.payload).toEqual({ app: 'blog', source: { ...source, auth } })
    const { job: own } = await plane.apps.deploy(app, { sha: SHA('b') })
    expect(own.payload.source).toEqual({ type: 'git', repo_url: REPO, sha: SHA('b') })
  })

  it('go back to the newest good commit that is not live, or to a named one, and never to a failed one', async () => {
    const deployed = async (digit: string, state: 'succeeded' | 'failed') => {
      test.clock.advance({ seconds: 1 })
      await test.plane.apps.deploy(app, { sha: SHA(digit) })
      const job = await handed()
      await finish(job, state)
      return job.deploymentId ?? ''
    }
    const first = await deployed('a', 'succeeded')
    await deployed('b', 'succeeded')
    await deployed('c', 'failed')
    await deployed('d', 'succeeded')
    await deployed('d', 'succeeded')
    const back = async (to?: string) => {
      const { job } = (await run('apps.rollback', { app: 'shop', ...(to && { to }) })) as unknown as {
        job: { id: string; payload: { source: { sha: string } } }
      }
      const cancel = { jobId: job.id, fingerprint: undefined, reason: '' }
      await test.plane.jobs.cancel(ofLicense(licenseId), cancel)
      return job.payload.source.sha
    }
    expect(await back()).toBe(SHA('b'))
    expect(await back('aaaa')).toBe(SHA('a'))
    expect(await back(first.slice(-8))).toBe(SHA('a'))
    await expect(back('cccc')).rejects.toMatchObject({ code: 'conflict' })
    expect(await run('apps.deploy', { app: 'shop' })).toMatchObject({
      job: { payload: { source: { sha: SHA('a') } } },
    })
  })

  it('that are images go back to that of an earlier job, which their host knows, and start with their own', async () => {
    const repo_url = 'docker://ghcr.io/acme/pulled'
    await run('apps.create', { name: 'pulled', license: licenseId, host: 'fp-1', repo_url })
    const deployed = async (tag: string) => {
      test.clock.advance({ seconds: 1 })
      const { job } = (await run('apps.deploy', { app: 'pulled', ref: tag })) as unknown as {
        job: { id: string }
      }
      await handed()
      await finish(job, 'succeeded')
      return job.id
    }
    const one = await deployed('1.0')
    const two = await deployed('1.1')
    const three = await deployed('1.2')
    const sourceOf = async (name: string, more: object = {}) => {
      const { job } = (await run(name, { app: 'pulled', ...more })) as unknown as {
        job: { id: string; payload: { source: object } }
      }
      const cancel = { jobId: job.id, fingerprint: undefined, reason: '' }
      await test.plane.jobs.cancel(ofLicense(licenseId), cancel)
      return job.payload.source
    }
    const image = (tag: string) => ({ type: 'image', image: `ghcr.io/acme/pulled:${tag}` })
    expect(await sourceOf('apps.rollback')).toEqual({ ...image('1.1'), kept: [two, one], only_kept: true })
    expect(await sourceOf('apps.rollback', { to: '1.0' })).toEqual({
      ...image('1.0'),
      kept: [one],
      only_kept: true,
    })
    expect(await sourceOf('apps.restart')).toEqual({ ...image('1.2'), kept: [three] })
    await expect(run('apps.rollback', { app: 'pulled', to: '0.9' })).rejects.toMatchObject({
      code: 'conflict',
    })
  })

  it('are forgotten with their variables, but not while a hook deploys them', async () => {
    const { plane } = test
    const { hook } = await plane.gitHooks.set(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
    await expect(run('apps.remove', { app: 'shop' })).rejects.toMatchObject({ code: 'conflict' })
    await plane.gitHooks.remove(hook)
    await run('apps.remove', { app: 'shop' })
    expect(await plane.apps.list(PLATFORM)).toEqual([])
  })

  it('are removed with their data by a job of their host, or not at all', async () => {
    const { plane } = test
    await run('apps.create', { name: 'nowhere', license: licenseId })
    await expect(run('apps.remove', { app: 'nowhere', data: true })).rejects.toMatchObject({
      code: 'conflict',
    })
    const { job_id } = (await run('apps.remove', { app: 'shop', data: true })) as { job_id: string }
    expect(await plane.apps.list(PLATFORM)).toMatchObject([{ name: 'nowhere' }])
    expect(await plane.jobs.get(PLATFORM, job_id)).toMatchObject({
      kind: 'remove',
      target: 'fp-1',
      payload: { app: 'shop', data: true },
    })
  })
})

describe('variables of apps', () => {
  const set = (values: Readonly<Record<string, string>>, isSecret = true) =>
    test.plane.apps.setVariables(app, values, isSecret)

  it('are sealed at rest and never shown, unless they are plain', async () => {
    await set({ TOKEN: SECRET })
    await set({ LEVEL: 'debug' }, false)
    const stored = await test.storage.apps.variables(app.id)
    expect(JSON.stringify(stored)).not.toContain(SECRET)
    expect(await run('apps.env-list', { app: 'shop' })).toMatchObject({
      revision: 2,
      variables: [
        { name: 'LEVEL', secret: false, value: 'debug' },
        { name: 'TOKEN', secret: true },
      ],
    })
    for (const name of ['apps.show', 'apps.env-list', 'apps.list'])
      expect(JSON.stringify(await run(name, name === 'apps.list' ? {} : { app: 'shop' }))).not.toContain(
        SECRET,
      )
  })

  it.each([
    ['1ST', 'x'],
    ['A-B', 'x'],
    ['', 'x'],
    ['PORT', '80'],
    ['SVC_SHA', 'x'],
    ['LD_PRELOAD', 'x'],
    ['NUL', 'a\0b'],
    ['LONG', 'x'.repeat(64 * 1024 + 1)],
  ])('refuse %j', async (name, value) => {
    await expect(set({ [name]: value })).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('are at most 500, and at most 1 MiB in all; a name that is there takes no more room', async () => {
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, each) => [`V${each}`, '']))
    await set(names(500), false)
    await set({ V7: 'again' }, false)
    await expect(set({ ONE: 'more' })).rejects.toMatchObject({ code: 'invalid-input' })
    await test.plane.apps.unsetVariables(app, Object.keys(names(500)))
    const value = 'x'.repeat(64 * 1024)
    await set(Object.fromEntries(Array.from({ length: 16 }, (_, each) => [`W${each}`, value])), false)
    await expect(set({ ONE: 'more' }, false)).rejects.toMatchObject({ code: 'invalid-input' })
    await set({ W3: 'less' }, false)
  })

  it('hold the passwords of registries, which are listed by themselves and reach nobody else', async () => {
    const login = { app: 'shop', registry: 'registry.example:5000', user: 'ann', password: 'a password' }
    await run('apps.registry-login', login)
    await run('apps.registry-login', { ...login, registry: 'ghcr.io', password: 'another' })
    const listed = await run('apps.registry-list', { app: 'shop' })
    expect(listed).toMatchObject({
      registries: [{ registry: 'ghcr.io' }, { registry: 'registry.example:5000' }],
    })
    expect(JSON.stringify(listed)).not.toContain('password')
    expect(await run('apps.env-list', { app: 'shop' })).toMatchObject({ variables: [] })
    expect(await run('apps.registry-logout', { app: 'shop', registry: 'ghcr.io' })).toMatchObject({
      removed: ['ghcr.io'],
    })
    expect(await run('apps.registry-list', { app: 'shop' })).toMatchObject({
      registries: [{ registry: 'registry.example:5000' }],
    })
    for (const registry of ['https://ghcr.io', 'ghcr.io/acme', 'GHCR.IO', '-x', ''])
      await expect(run('apps.registry-login', { ...login, registry })).rejects.toMatchObject({
        code: 'invalid-input',
      })
    for (const password of ['', 'two\nlines'])
      await expect(run('apps.registry-login', { ...login, password })).rejects.toMatchObject({
        code: 'invalid-input',
      })
    await showKey()
    const source = { type: 'git', repo_url: REPO, sha: SHA('a') }
    const payload = { app: 'shop', source }
    await test.plane.jobs.enqueue({ licenseId, kind: 'deploy', target: 'fp-1', payload })
    const { payload: given, env } = await handed()
    const { logins, env: own } = withoutLogins(given.env as Record<string, string>)
    expect(logins).toEqual({ 'registry.example:5000': { user: 'ann', password: 'a password' } })
    expect(own).toEqual({})
    expect(env).toEqual({ secrets: Object.keys(given.env as object) })
  })

  describe('reach a host', () => {
    beforeEach(async () => {
      await set({ TOKEN: SECRET, SHARED: 'of the app' })
      await set({ LEVEL: 'debug' }, false)
      await showKey()
    })
    const deploy = (more: object = {}) =>
      test.plane.jobs.enqueue({
        ...{ licenseId, kind: 'deploy' as const, target: 'fp-1' },
        payload: { app: 'shop', source: { type: 'git', repo_url: REPO, sha: SHA('a') }, ...more },
      })

    it('with a deploy that is for it, below the variables of the job itself', async () => {
      await deploy({ env: { SHARED: 'of the job' } })
      const { payload, env } = await handed()
      expect(payload).toMatchObject({
        env: { TOKEN: SECRET, SHARED: 'of the job', LEVEL: 'debug' },
      })
      expect(env).toEqual({ secrets: ['SHARED', 'TOKEN'] })
    })

    it('again with each attempt, in the values of that time', async () => {
      const { job } = await deploy()
      await handed()
      await set({ LEVEL: 'info' }, false)
      test.clock.advance({ seconds: test.plane.jobs.leaseSeconds + 1 })
      const again = await handed()
      expect([again.id, again.attempt]).toEqual([job.id, 2])
      expect(again.payload.env).toMatchObject({ TOKEN: SECRET, LEVEL: 'info' })
    })

    it.each([
      ['shows no key', { proof: {} }, 'does not prove'],
      ['proves another key', { pair: 'other' }, 'does not prove'],
      ['proves the key for another claim', { request: claimRequest('another') }, 'does not prove'],
      [
        'proves the key for a request for sessions',
        { request: 'GET\n/api/v1/access/pending' },
        'does not prove',
      ],
      ['names no key of its claim', { claimKey: undefined }, 'does not prove'],
    ] as const)('not when its claim %s', async (_, claim, words) => {
      await deploy()
      const { pair, request, ...rest } = { pair: '', request: undefined, ...claim } as {
        pair: string
        request: string | undefined
      }
      const shown = proof({ ...(request && { request }), ...(pair && { pair: other }) })
      const { payload, env } = await handed({ proof: shown, ...rest })
      expect(env).toMatchObject({ withheld: expect.stringContaining(words) })
      expect(JSON.stringify(payload)).not.toContain(SECRET)
    })

    it('not when a proof is older than two minutes', async () => {
      await deploy()
      const shown = proof()
      test.clock.advance({ seconds: 121 })
      expect((await handed({ proof: shown })).env).toHaveProperty('withheld')
    })

    it('not when it is another host, though a thief of the license key made it and a job for it', async () => {
      await beat('thief')
      await showKey('thief')
      await deploy()
      const source = { type: 'git', repo_url: REPO, sha: SHA('a') }
      const stolen = { app: 'shop', source }
      await test.plane.jobs.enqueue({
        licenseId,
        kind: 'deploy',
        payload: stolen,
        target: 'thief',
        serialKey: 'own',
      })
      const { payload, env } = await handed({ fingerprint: 'thief', proof: proof({ fingerprint: 'thief' }) })
      expect(env).toMatchObject({ withheld: expect.stringContaining('not for the host of the app') })
      expect(JSON.stringify(payload)).not.toContain(SECRET)
    })

    it('not with another source, and not with a job that any host may take', async () => {
      await deploy({ source: { type: 'git', repo_url: `${REPO}x`, sha: SHA('a') } })
      const first = await handed()
      expect(first.env).toMatchObject({ withheld: expect.stringContaining('the source is not') })
      await finish(first, 'failed')
      const payload = { app: 'shop', source: { type: 'git', repo_url: REPO, sha: SHA('a') } }
      await test.plane.jobs.enqueue({ licenseId, kind: 'deploy', payload })
      expect((await handed()).env).toMatchObject({
        withheld: expect.stringContaining('not for the host'),
      })
    })

    it('with a commit that was sent to the host', async () => {
      await deploy({ source: { type: 'upload', sha: SHA('a') } })
      expect((await handed()).payload).toMatchObject({ env: { TOKEN: SECRET } })
    })

    it.each([
      { type: 'image', image: 'ghcr.io/thief/shop:1' },
      { type: 'image', image: 'ghcr.io/thief/shop:1', repo_url: REPO },
    ])('not with the image %j, which is none of the app', async (source) => {
      await deploy({ source })
      expect((await handed()).env).toMatchObject({ withheld: expect.stringContaining('the source is not') })
    })

    it('with its own image at any tag and digest, and with no other', async () => {
      const pulled = await test.plane.apps.set(app, { repoUrl: 'docker://registry.example:5000/acme/shop' })
      const own = 'registry.example:5000/acme/shop'
      for (const [image, isOwn] of [
        [`${own}:1.2`, true],
        [`${own}@sha256:${'a'.repeat(64)}`, true],
        [own, true],
        [`${own}-x:1.2`, false],
        ['registry.example:5001/acme/shop:1.2', false],
      ] as const) {
        await deploy({ source: { type: 'image', image } })
        const job = await handed()
        expect([image, 'withheld' in job.env]).toEqual([image, !isOwn])
        await finish(job, 'failed')
      }
      const { job } = await test.plane.apps.deploy(pulled, { ref: '1.3', madeBy: 'cli:ann' })
      expect(job.payload.source).toEqual({ type: 'image', image: `${own}:1.3` })
    })

    it('not when it has shown no key yet', async () => {
      await test.plane.access.resetKey({ licenseId, fingerprint: 'fp-1' })
      await deploy()
      expect((await handed()).env).toMatchObject({
        withheld: expect.stringContaining('has not shown a key'),
      })
    })

    it('not with jobs of other kinds, and an app without any changes no job', async () => {
      await test.plane.jobs.enqueue({ licenseId, kind: 'stop', payload: { app: 'shop' }, target: 'fp-1' })
      const stop = await handed()
      expect(stop.payload).toEqual({ app: 'shop' })
      await finish(stop, 'succeeded')
      await test.plane.apps.unsetVariables(app, ['TOKEN', 'SHARED', 'LEVEL'])
      const { job } = await deploy()
      expect((await handed()).payload).toEqual(job.payload)
    })

    it('not when a license key moved the hook: that is refused with the command that a person runs', async () => {
      const { plane } = test
      const key = await plane.licenses.issue({ label: 'other' }).then(() => licenseId)
      await run('apps.set', { app: 'shop', host: '', repo_url: '' })
      const wishes = { fingerprint: 'fp-1', repoUrl: REPO }
      await expect(plane.gitHooks.set(key, 'shop', wishes, 'license')).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('svc apps set shop'),
      })
      const { hook } = await plane.gitHooks.set(key, 'shop', wishes)
      for (const moved of [{ fingerprint: 'fp-2' }, { repoUrl: `${REPO}x` }])
        await expect(plane.gitHooks.change(hook, moved, 'license')).rejects.toMatchObject({
          code: 'conflict',
        })
      const { hook: branched } = await plane.gitHooks.change(hook, { branch: 'next' }, 'license')
      expect(branched.branch).toBe('next')
    })

    it('but are withheld in words when they cannot be opened', async () => {
      const secret = 'v1:gone:unreadable'
      await test.storage.apps.setVariables(app.id, [{ name: 'TOKEN', value: undefined, secret }])
      await deploy()
      expect((await handed()).env).toMatchObject({
        withheld: expect.stringContaining('SERVICE_DATA_KEYS'),
      })
    })
  })

  it('has the id that the migration gives', () => {
    expect(appIdOf('lic_1', 'shop')).toMatch(/^app_[0-9a-f]{26}$/)
  })
})
