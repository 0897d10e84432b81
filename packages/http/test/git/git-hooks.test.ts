import { describe, expect, it } from '@jest/globals'
import { githubPush } from '../../../../test/support/git-payloads/github.ts'
import { SIGNERS } from '../../../../test/support/git-payloads/signed.ts'
import { gitScene, HOOKS, HOST, REPO, SECRET } from './git-scene.ts'

interface SetAnswer {
  readonly created: boolean
  readonly hook: Readonly<Record<string, unknown>> & { readonly id: string }
  readonly secret?: string
  readonly webhook_url: string
  readonly deploy_key?: string
}

const SSH = 'ssh://git@git.example/acme/shop.git'

describe('git hooks of a license', () => {
  const scene = gitScene()
  const post = (body: object) => scene().served.post(HOOKS, body)
  const set = async (fields: object = {}) => {
    const answer = await post({ app: 'shop', fingerprint: HOST, repo_url: REPO, ...fields })
    return { status: answer.status, body: answer.body as SetAnswer }
  }

  it('a new one is told with its secret, its address and what to enter where', async () => {
    const { status, body } = await set()
    const { id } = body.hook
    expect(status).toBe(201)
    expect(body).toEqual({
      ok: true,
      created: true,
      hook: {
        id: expect.stringMatching(/^ghk_[0-9a-z]{26}$/),
        license_id: scene().served.licenseId,
        app: 'shop',
        fingerprint: HOST,
        provider: 'generic',
        repo_url: REPO,
        branch: 'main',
        paths: [],
        paths_ignore: [],
        enabled: true,
        cancel_in_progress: false,
        allow_skip: true,
        clone: 'none',
        submodules: 'none',
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      webhook_url: `https://svc.example/api/v1/git/webhook?hook=${id}`,
      setup: expect.objectContaining({ content_type: 'application/json' }),
    })
    expect(await scene().push(id, githubPush(), () => SIGNERS.bearer(body.secret ?? ''))).toMatchObject({
      status: 202,
    })
  })

  it('the same again changes nothing and tells no secret', async () => {
    const first = await set({ paths: ['a/**'], tags: 'v*', clone: { kind: 'none' } })
    scene().served.clock.advance({ minutes: 1 })
    const again = await set()
    expect(again).toMatchObject({ status: 200, body: { created: false, hook: first.body.hook } })
    expect(again.body.secret).toBeUndefined()
    const changed = await set({ branch: 'next', tags: '' })
    expect(changed.body.hook).toMatchObject({ branch: 'next', paths: ['a/**'] })
    expect(changed.body.hook.tags).toBeUndefined()
    expect(changed.body.hook.updated_at).toBe((first.body.hook.updated_at as number) + 60)
  })

  it('is listed without secrets, with its latest delivery', async () => {
    const hook = await scene().hook()
    await scene().push(hook, githubPush())
    const { body, text } = await scene().served.get(HOOKS)
    expect(body).toMatchObject({
      ok: true,
      hooks: [{ id: hook, last_delivery: { outcome: 'accepted', job_id: expect.stringMatching(/^job_/) } }],
    })
    expect(text).not.toContain('whsec_')
    expect((await post({ action: 'list' })).body).toEqual(body)
  })

  it('a rotation leaves the secret before good for a day', async () => {
    const hook = await scene().hook()
    const { body } = await post({ action: 'rotate', id: hook })
    const fresh = (body as SetAnswer).secret ?? ''
    expect(fresh).toMatch(/^whsec_/)
    expect(await scene().push(hook, githubPush({}, 'one'))).toMatchObject({ status: 202 })
    expect(
      await scene().push(hook, githubPush({}, 'two'), (_, text) => SIGNERS.github(fresh, text)),
    ).toMatchObject({
      status: 200,
    })
    scene().served.clock.advance({ hours: 23, minutes: 59 })
    expect((await scene().push(hook, githubPush({}, 'still'))).status).toBeLessThan(300)
    scene().served.clock.advance({ minutes: 1 })
    expect(await scene().push(hook, githubPush({}, 'three'))).toMatchObject({ status: 401 })
    expect(await scene().push(hook, githubPush({}, 'four'), () => SIGNERS.bearer(fresh))).toMatchObject({
      status: 200,
    })
  })

  it('a secret of one’s own takes over in the same way', async () => {
    const hook = await scene().hook()
    const own = 'a-secret-of-our-own'
    const { body } = await set({ secret: own })
    expect(body).toMatchObject({ created: false, secret: own })
    expect((await set({ secret: own })).body.secret).toBeUndefined()
    expect(await scene().push(hook, githubPush(), () => SIGNERS.bearer(own))).toMatchObject({ status: 202 })
  })

  it('is changed, disabled and deleted by its id', async () => {
    const hook = await scene().hook()
    expect(await post({ action: 'update', id: hook, enabled: false, paths: ['x'] })).toMatchObject({
      status: 200,
      body: { hook: { enabled: false, paths: ['x'], repo_url: REPO } },
    })
    await scene().push(hook, githubPush())
    expect(await post({ action: 'delete', id: hook })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await post({ action: 'delete', id: hook })).toMatchObject({
      status: 404,
      body: { error: 'hook not found' },
    })
    expect(await post({ action: 'update', id: hook })).toMatchObject({ status: 404 })
    expect(await post({ action: 'rotate', id: hook })).toMatchObject({ status: 404 })
    expect(await scene().push(hook, githubPush())).toMatchObject({ status: 401 })
    expect(await scene().deliveries(hook)).toEqual([])
  })

  it('a deploy key is made for an address of ssh; its private half goes to the host alone', async () => {
    const { body } = await set({ repo_url: SSH })
    expect(body.hook).toMatchObject({ clone: 'deploy_key', deploy_key: body.deploy_key })
    expect(body.deploy_key).toMatch(/^ssh-ed25519 AAAA[A-Za-z0-9+/]+ svc-shop$/)
    expect((await set({ repo_url: SSH })).body.deploy_key).toBe(body.deploy_key)
    await scene().push(body.hook.id, githubPush(), () => SIGNERS.bearer(body.secret ?? ''))
    const [job] = await scene().jobs()
    expect(job?.payload.source).toMatchObject({ auth: { type: 'deploy_key', hook: body.hook.id } })
    expect(JSON.stringify(job)).not.toContain('PRIVATE KEY')
    const claimed = await scene().claim()
    expect(claimed?.payload.source.auth).toEqual({
      type: 'deploy_key',
      private_key: expect.stringMatching(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/),
      submodules: 'none',
    })
    const other = await set({ repo_url: SSH, clone: { kind: 'none' } })
    expect(other.body.deploy_key).toBeUndefined()
    expect(await scene().served.storage.gitHooks.secrets(body.hook.id)).toHaveLength(1)
  })

  it.each([
    ['generic', 'tok-1', 'x-access-token', 'tok-1'],
    ['gitlab', 'tok-1', 'oauth2', 'tok-1'],
    ['bitbucket', 'tok-1', 'x-token-auth', 'tok-1'],
    ['generic', 'ann:tok:1', 'ann', 'tok:1'],
  ])(
    'a token at %s is handed out with the name that it needs',
    async (provider, token, username, password) => {
      const { body } = await set({ provider, secret: SECRET, clone: { kind: 'token', token } })
      expect(JSON.stringify(body)).not.toContain(token)
      await scene().push(body.hook.id, githubPush())
      expect((await scene().claim())?.payload.source.auth).toEqual({
        type: 'basic',
        username,
        password,
        submodules: 'none',
      })
    },
  )

  it('submodules get the credentials where the hook says so, which a change of something else leaves', async () => {
    const clone = { kind: 'token', token: 'tok-1' }
    const { body } = await set({ secret: SECRET, clone })
    expect(body.hook).toMatchObject({ submodules: 'none' })
    const lent = await set({ submodules: 'owner' })
    expect(lent.body.hook).toMatchObject({ submodules: 'owner', clone: 'token' })
    await post({ action: 'update', id: body.hook.id, branch: 'main', submodules: 'server' })
    expect(await post({ action: 'update', id: body.hook.id, enabled: true })).toMatchObject({
      body: { hook: { submodules: 'server' } },
    })
    await scene().push(body.hook.id, githubPush())
    expect((await scene().claim())?.payload.source.auth).toMatchObject({ submodules: 'server' })
  })

  it('credentials go with no job for another repository or of another license', async () => {
    const { body } = await set({ repo_url: SSH })
    const source = { type: 'git', sha: 'a'.repeat(40), auth: { type: 'deploy_key', hook: body.hook.id } }
    const enqueue = (licenseId: string, repo_url: string) =>
      scene().served.plane.jobs.enqueue({
        licenseId,
        kind: 'deploy',
        payload: { app: 'x', source: { ...source, repo_url } },
      })
    await enqueue(scene().served.licenseId, 'ssh://git@attacker.example/acme/shop.git')
    expect((await scene().claim())?.payload.source.auth).toEqual({ type: 'missing' })
    const other = await scene().served.license('other')
    const { job } = await enqueue(other.id, SSH)
    const handed = await scene().served.plane.gitCredentials.handOut(job)
    expect(handed.payload.source).toMatchObject({ auth: { type: 'missing' } })
    await post({ action: 'delete', id: body.hook.id })
    const { job: late } = await enqueue(scene().served.licenseId, SSH)
    expect((await scene().served.plane.gitCredentials.handOut(late)).payload.source).toMatchObject({
      auth: { type: 'missing' },
    })
  })

  it.each([
    ['no app', { app: undefined }, 'app'],
    ['a path for an app', { app: '../x' }, 'app'],
    ['capitals in an app', { app: 'Shop' }, 'app'],
    ['a file', { repo_url: 'file:///etc/passwd' }, 'repo_url'],
    ['a command', { repo_url: 'ext::sh -c touch% x' }, 'repo_url'],
    ['an option for a repository', { repo_url: '--upload-pack=touch x' }, 'repo_url'],
    ['a password in an address', { repo_url: 'https://a:b@git.example/x' }, 'repo_url'],
    ['plain http in production', { repo_url: 'http://git.example/x' }, 'repo_url'],
    ['a command for a branch', { branch: '$(touch x)' }, 'branch'],
    ['an option for a branch', { branch: '--upload-pack=x' }, 'branch'],
    ['a long branch', { branch: 'x'.repeat(245) }, 'branch'],
    ['a pattern for a tag', { tags: '+(a|b)' }, 'tags'],
    ['stars in the middle of a part', { paths: ['ok', 'a**b'] }, 'paths.1'],
    ['a long path', { paths: ['x'.repeat(201)] }, 'paths.0'],
    ['too many paths', { paths: Array.from({ length: 51 }, () => 'x') }, 'paths'],
    ['a short secret', { secret: 'short' }, 'secret'],
    ['a secret that no header carries', { secret: 'sixteen or more ä' }, 'secret'],
    ['an unknown provider', { provider: 'svn' }, 'provider'],
    ['submodules of an unknown scope', { submodules: 'all' }, 'submodules'],
    ['a key without ssh', { clone: { kind: 'deploy_key' } }, 'clone.kind'],
    ['a token that is absent', { clone: { kind: 'token' } }, 'clone.token'],
    ['a token with a line end', { clone: { kind: 'token', token: 'a\nb' } }, 'clone.token'],
    ['a null', { branch: null }, 'branch'],
    ['no host', { fingerprint: undefined }, 'fingerprint'],
    ['another action', { action: 'drop' }, 'action'],
  ])('%s is refused and nothing is stored', async (_, fields, field) => {
    const answer = await set(fields as object)
    const { details } = answer.body as unknown as { details: string[] }
    expect(answer.status).toBe(400)
    expect(details.some((line) => line.startsWith(`${field}: expected `))).toBe(true)
    expect(JSON.stringify(answer.body)).not.toMatch(/short|a:b|touch/)
    expect((await scene().served.get(HOOKS)).body).toEqual({ ok: true, hooks: [] })
  })

  it('a host of nobody, or of another license, is none', async () => {
    const none = { status: 404, body: { error: 'agent not found / not owned' } }
    expect(await set({ fingerprint: 'nobody-0123456789' })).toMatchObject(none)
    const other = await scene().served.license('other')
    const authorization = `Bearer ${other.key}`
    const foreign = await scene().served.post(
      HOOKS,
      { app: 'shop', fingerprint: HOST, repo_url: REPO },
      { authorization },
    )
    expect(foreign).toMatchObject(none)
    const hook = await scene().hook()
    const moved = { action: 'update', id: hook, fingerprint: 'nobody-0123456789' }
    expect(await scene().served.post(HOOKS, moved)).toMatchObject(none)
    expect(((await scene().served.get(HOOKS)).body as { hooks: object[] }).hooks).toMatchObject([
      { fingerprint: HOST },
    ])
    for (const action of ['update', 'rotate', 'delete'])
      expect(await scene().served.post(HOOKS, { action, id: hook }, { authorization })).toMatchObject({
        status: 404,
        body: { error: 'hook not found' },
      })
    expect((await scene().served.get(HOOKS, { authorization })).body).toEqual({ ok: true, hooks: [] })
  })

  it('a license has a hundred at most', async () => {
    const { gitHooks } = scene().served.plane
    const wishes = { fingerprint: HOST, repoUrl: REPO }
    for (let count = 0; count < 100; count += 1)
      await gitHooks.set(scene().served.licenseId, `app-${count}`, wishes)
    expect(await set()).toMatchObject({ status: 409, body: { error: 'hook limit reached' } })
    expect(await set({ app: 'app-7' })).toMatchObject({ status: 200 })
  })

  it('secrets stand sealed in the database', async () => {
    const { body } = await set({ repo_url: SSH, secret: SECRET })
    const stored = await scene().served.storage.gitHooks.secrets(body.hook.id)
    expect(stored.map(({ kind, text }) => [kind, text.slice(0, 8)])).toEqual([
      ['deploy_key', 'v1:test:'],
      ['secret', 'v1:test:'],
    ])
  })
})

describe('without an address of the service', () => {
  const scene = gitScene({ SERVICE_PUBLIC_URL: '' })

  it('no hook is made', async () => {
    expect(
      await scene().served.post(HOOKS, { app: 'shop', fingerprint: HOST, repo_url: REPO }),
    ).toMatchObject({
      status: 503,
      body: { error: 'public url not configured' },
    })
  })
})
