import { describe, expect, it } from '@jest/globals'
import {
  forgejoPush,
  giteaPush,
  githubPing,
  githubPush,
  githubStar,
} from '../../../../test/support/git-payloads/github.ts'
import {
  cloudPush,
  gitlabPush,
  serverPing,
  serverPush,
} from '../../../../test/support/git-payloads/others.ts'
import { type Message, NONE, type Pushed, sha } from '../../../../test/support/git-payloads/pushed.ts'
import { SIGNERS, standardSigned } from '../../../../test/support/git-payloads/signed.ts'
import { gitScene, HOST, REPO, SECRET } from './git-scene.ts'

const scene = gitScene()
const ignored = (reason: string) => ({ status: 200, body: { ok: true, accepted: false, ignored: reason } })

describe('a push that a hook wants', () => {
  it('makes a job for the commit on the hook’s host, and one flipped byte or another hook make none', async () => {
    const hook = await scene().hook()
    const { headers, body } = githubPush()
    const text = JSON.stringify(body)
    const signed = { ...headers, ...SIGNERS.github(SECRET, text) }
    const flipped = await scene().deliver(hook, text.replace('Sell', 'Sall'), signed)
    const unknown = await scene().deliver('ghk_00000000000000000000000000', text, signed)
    expect([flipped.status, unknown.status]).toEqual([401, 401])
    expect(unknown.text).toBe(flipped.text)
    expect(flipped.body).toEqual({ error: 'unauthorized' })
    expect(await scene().jobs()).toEqual([])
    const answer = await scene().deliver(hook, text, signed)
    const [job] = await scene().jobs()
    expect(answer).toMatchObject({
      status: 202,
      body: {
        ok: true,
        accepted: true,
        jobs: [
          {
            hook_id: hook,
            app: 'shop',
            job_id: job?.id,
            deployment_id: job?.deploymentId,
            sha: sha('b'),
            ref: 'refs/heads/main',
            kind: 'deploy',
          },
        ],
      },
    })
    expect(job).toMatchObject({
      state: 'pending',
      target: HOST,
      app: 'shop',
      payload: {
        app: 'shop',
        source: {
          type: 'git',
          repo_url: REPO,
          sha: sha('b'),
          ref: 'refs/heads/main',
          before: sha('a'),
          depth: 1,
        },
        hook_id: hook,
        delivery_id: headers['x-github-delivery'],
        trigger: 'git',
      },
    })
    expect(await scene().served.plane.deployments.list({ limit: 9 })).toMatchObject([
      { id: job?.deploymentId, app: 'shop', state: 'pending', jobId: job?.id },
    ])
    const lines = await scene().served.plane.jobs.logs(job?.id ?? '', 0, 10)
    expect(lines.map(({ line }) => line)).toEqual(['git push bbbbbbbbbbbb refs/heads/main by ann'])
  })

  it('is a redeploy when the app has been deployed before', async () => {
    const hook = await scene().hook()
    await scene().push(hook, githubPush())
    await scene().run('succeeded')
    await scene().push(hook, githubPush({ before: sha('b'), after: sha('c') }, 'second'))
    expect((await scene().claim())?.kind).toBe('redeploy')
  })

  const SENDERS: readonly (readonly [string, string, Message, (secret: string, body: string) => object])[] = [
    ['GitHub', 'github', githubPush(), SIGNERS.github],
    ['Gitea, with the headers of GitHub beside its own', 'gitea', giteaPush(), SIGNERS.gitea],
    ['Gitea, with a bearer', 'gitea', giteaPush(), SIGNERS.bearer],
    ['Forgejo', 'gitea', forgejoPush(), SIGNERS.forgejo],
    ['GitLab, with a secret token', 'gitlab', gitlabPush(), SIGNERS.gitlabToken],
    ['GitLab, as a system hook', 'gitlab', gitlabPush({ header: 'System Hook' }), SIGNERS.gitlabToken],
    ['Bitbucket Cloud', 'bitbucket', cloudPush(), SIGNERS.bitbucket],
    ['Bitbucket Data Center', 'bitbucket', serverPush(), SIGNERS.bitbucket],
    [
      'a script',
      'generic',
      { headers: {}, body: { ref: 'refs/heads/main', sha: sha('b'), delivery_id: 'own-1' } },
      SIGNERS.bearer,
    ],
    [
      'a script, by Basic',
      'generic',
      { headers: {}, body: { ref: 'refs/heads/main', after: sha('b') } },
      SIGNERS.basic,
    ],
  ]

  it.each(SENDERS)('deploys as of %s, recorded as %s', async (_, provider, message, sign) => {
    const hook = await scene().hook()
    const answer = await scene().push(hook, message, sign as typeof SIGNERS.github)
    expect(answer.status).toBe(202)
    expect((await scene().claim())?.payload.source.sha).toBe(sha('b'))
    expect(await scene().deliveries(hook)).toMatchObject([
      { provider, ref: 'refs/heads/main', sha: sha('b'), ignored: undefined, address: '127.0.0.1' },
    ])
  })

  it('names the pusher in the releases of the app, and the license when its key is the credential', async () => {
    const hook = await scene().hook()
    const { served } = scene()
    const push = (digit: string, secret: string) => {
      const body = { ref: 'refs/heads/main', sha: sha(digit), pusher: 'kim' }
      return scene().deliver(hook, JSON.stringify(body), { authorization: `Bearer ${secret}` })
    }
    expect(await push('a', SECRET)).toMatchObject({ status: 202 })
    expect(await push('b', served.key)).toMatchObject({ status: 202 })
    const made = await served.plane.deployments.list({ licenseId: served.licenseId, limit: 9 })
    const key = `git push by kim, with the key of ${served.licenseId}`
    expect(made.map(({ madeBy }) => madeBy)).toEqual([key, 'git push by kim'])
  })

  it('deploys as of GitLab with a signing token, under the name of the signed message', async () => {
    const hook = await scene().hook()
    const { headers, body } = gitlabPush()
    const text = JSON.stringify(body)
    const at = scene().served.clock.now()
    const signed = standardSigned(SECRET, text, { id: 'msg_7', at })
    expect(await scene().deliver(hook, text, { ...headers, ...signed })).toMatchObject({ status: 202 })
    expect(await scene().deliveries(hook)).toMatchObject([{ provider: 'gitlab', deliveryId: 'msg_7' }])
    const stale = standardSigned(SECRET, text, { id: 'msg_8', at: new Date(at.getTime() - 301_000) })
    expect(await scene().deliver(hook, text, { ...headers, ...stale })).toMatchObject({ status: 401 })
  })

  it('deploys from a form, as GitHub sends it unless told otherwise', async () => {
    const hook = await scene().hook()
    const { headers, body } = githubPush()
    const text = new URLSearchParams({ payload: JSON.stringify(body) }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const signed = { ...headers, ...SIGNERS.github(SECRET, text), ...form }
    expect(await scene().deliver(hook, text, signed)).toMatchObject({ status: 202 })
    const other = { ...headers, ...SIGNERS.github(SECRET, 'other=1'), ...form }
    expect(await scene().deliver(hook, 'other=1', other)).toMatchObject({
      status: 400,
      body: { error: 'invalid JSON body' },
    })
    // curl calls any body a form.
    const curl = JSON.stringify({ ref: 'refs/heads/main', sha: sha('c'), before: sha('b') })
    expect(await scene().deliver(hook, curl, { ...SIGNERS.bearer(SECRET), ...form })).toMatchObject({
      status: 202,
    })
  })

  it('of two refs deploys both, and neither takes the place of the other', async () => {
    const hook = await scene().hook({ tags: 'v*' })
    const tag = { type: 'tag', name: 'v1.0.0', before: null, after: sha('c') } as const
    const other = { name: 'other', after: sha('d') }
    const { body } = await scene().push(hook, cloudPush([{}, tag, other]), SIGNERS.bitbucket)
    const made = (body as { jobs: { ref: string; sha: string }[] }).jobs
    expect(made.map(({ ref, sha: commit }) => [ref, commit[0]])).toEqual([
      ['refs/heads/main', 'b'],
      ['refs/tags/v1.0.0', 'c'],
    ])
    expect((await scene().jobs()).map(({ state }) => state)).toEqual(['pending', 'pending'])
    expect((await scene().deliveries(hook)).map((each) => each.ignored ?? 'accepted').toSorted()).toEqual([
      'accepted',
      'accepted',
      'branch',
    ])
  })

  it('of thousands of refs takes those that it wants first, and fifty at most', async () => {
    const hook = await scene().hook({ tags: 'v*' })
    const others = Array.from({ length: 2000 }, (_, index) => ({ name: `other-${index}`, after: sha('d') }))
    const tags = Array.from({ length: 60 }, (_, index) => ({
      ...{ type: 'tag' as const, name: `v${index}`, before: null, after: sha('c') },
    }))
    const mirror = await scene().push(hook, cloudPush([...others, {}], 'mirror'), SIGNERS.bitbucket)
    expect(mirror).toMatchObject({ status: 202, body: { jobs: [{ ref: 'refs/heads/main' }] } })
    expect(await scene().deliveries(hook)).toHaveLength(50)
    const { body } = await scene().push(hook, cloudPush([...tags], 'tags'), SIGNERS.bitbucket)
    expect((body as { jobs: object[] }).jobs).toHaveLength(50)
  })

  it.each<[string, Message, keyof typeof SIGNERS, string]>([
    [
      'GitHub',
      githubPush({ ref: 'refs/tags/v1', before: NONE, after: sha('e'), tagged: sha('c') }),
      'github',
      'c',
    ],
    [
      'GitLab',
      gitlabPush({ ref: 'refs/tags/v1', before: NONE, after: sha('e'), tagged: sha('c') }),
      'gitlabToken',
      'c',
    ],
    ['Gitea', giteaPush({ ref: 'refs/tags/v1', before: NONE, after: sha('c') }), 'gitea', 'c'],
    ['Data Center', serverPush({ ref: 'refs/tags/v1', before: NONE, after: sha('c') }), 'bitbucket', 'c'],
  ])('a tag of %s deploys its commit', async (_, message, sign, letter) => {
    const hook = await scene().hook({ tags: 'v*' })
    expect(await scene().push(hook, message, SIGNERS[sign] as typeof SIGNERS.github)).toMatchObject({
      status: 202,
      body: { jobs: [{ sha: sha(letter), ref: 'refs/tags/v1' }] },
    })
  })
})

describe('what a hook does not want is answered well and makes no job', () => {
  const gone: Pushed = { after: NONE }
  it.each<[string, string, Message, keyof typeof SIGNERS]>([
    ['another branch', 'branch', githubPush({ ref: 'refs/heads/next' }), 'github'],
    ['a branch of another folder', 'branch', githubPush({ ref: 'refs/heads/main/x' }), 'github'],
    ['another kind of ref', 'branch', githubPush({ ref: 'refs/notes/commits' }), 'github'],
    ['a tag', 'tag', githubPush({ ref: 'refs/tags/v1' }), 'github'],
    ['a removed branch of GitHub', 'deleted', githubPush(gone), 'github'],
    ['a removed branch of GitLab', 'deleted', gitlabPush(gone), 'gitlabToken'],
    ['a removed branch of Gitea', 'deleted', giteaPush(gone), 'gitea'],
    ['a removed branch of Bitbucket Cloud', 'deleted', cloudPush([{ after: null }]), 'bitbucket'],
    ['a removed branch of Data Center', 'deleted', serverPush(gone), 'bitbucket'],
    ['a ping of GitHub', 'ping', githubPing(), 'github'],
    ['a ping of Data Center', 'ping', serverPing(), 'bitbucket'],
    ['another event', 'event', githubStar(), 'github'],
    ['another event of GitLab', 'event', gitlabPush({ header: 'Pipeline Hook' }), 'gitlabToken'],
    [
      'a message to skip',
      'skip_ci',
      githubPush({
        commits: [
          ['Words [skip ci]', 'a'],
          ['[Skip Deploy] more', 'b'],
        ],
      }),
      'github',
    ],
  ])('%s: %s', async (_, reason, message, sign) => {
    const hook = await scene().hook()
    expect(await scene().push(hook, message, SIGNERS[sign] as typeof SIGNERS.github)).toMatchObject(
      ignored(reason),
    )
    expect(await scene().jobs()).toEqual([])
    expect(await scene().deliveries(hook)).toMatchObject([{ ignored: reason, jobId: undefined }])
  })

  it('a hook that is disabled, and a push to another repository', async () => {
    const hook = await scene().hook({ enabled: false })
    expect(await scene().push(hook, githubPush())).toMatchObject(ignored('disabled'))
    const other = await scene().hook({ app: 'blog', repo_url: 'https://git.example/acme/blog.git' })
    expect(await scene().push(other, githubPush())).toMatchObject(ignored('repository'))
    await scene().hook({ enabled: true })
    expect(await scene().push(hook, githubPush())).toMatchObject({ status: 202 })
  })

  it('paths, as long as the host tells all of them', async () => {
    const hook = await scene().hook({ paths: ['apps/shop/**'], paths_ignore: ['**/*.md'] })
    const docs: Pushed['commits'] = [
      ['Words', 'docs/x', 'apps/shop/README.md'],
      ['More words', 'docs/y'],
    ]
    expect(await scene().push(hook, githubPush({ commits: docs }, 'one'))).toMatchObject(ignored('paths'))
    expect(await scene().push(hook, gitlabPush({ commits: docs }, 'two'), SIGNERS.gitlabToken)).toMatchObject(
      ignored('paths'),
    )
    expect(await scene().push(hook, giteaPush({ commits: docs }, 'three'), SIGNERS.gitea)).toMatchObject(
      ignored('paths'),
    )
    const many: Pushed['commits'] = Array.from({ length: 2048 }, (_, index) => [`Words ${index}`, 'docs/x'])
    const whole: readonly [Message, keyof typeof SIGNERS][] = [
      [githubPush({ commits: [['Words', 'docs/x', 'apps/shop/a']], after: sha('1') }, 'a1'), 'github'],
      [githubPush({ commits: many, before: sha('1'), after: sha('2') }, 'a2'), 'github'],
      [githubPush({ commits: docs, before: sha('2'), after: sha('3'), forced: true }, 'a3'), 'github'],
      [gitlabPush({ commits: docs, before: sha('3'), after: sha('4'), total: 21 }, 'a4'), 'gitlabToken'],
      [giteaPush({ commits: docs, before: sha('4'), after: sha('5'), total: 30 }, 'a5'), 'gitea'],
      [cloudPush([{ before: sha('5'), after: sha('6') }], 'a6'), 'bitbucket'],
      [serverPush({ before: sha('6'), after: sha('7') }, 'a7'), 'bitbucket'],
    ]
    for (const [message, sign] of whole)
      expect(await scene().push(hook, message, SIGNERS[sign] as typeof SIGNERS.github)).toMatchObject({
        status: 202,
      })
  })

  it('messages to skip deploy when one commit is not, or the hook takes no skip', async () => {
    const hook = await scene().hook()
    const some: Pushed['commits'] = [
      ['One [skip ci]', 'a'],
      ['Two', 'b'],
    ]
    expect(await scene().push(hook, githubPush({ commits: some }))).toMatchObject({ status: 202 })
    const strict = await scene().hook({ app: 'strict', allow_skip: false })
    const all = githubPush({ commits: [['One [skip ci]', 'a']] }, 'other')
    expect(await scene().push(strict, all)).toMatchObject({ status: 202 })
  })
})

describe('a license key', () => {
  const bearer = () => ({ authorization: `Bearer ${scene().served.key}` })

  it('without a hook deploys every app of the pushed repository', async () => {
    await scene().hook()
    await scene().hook({ app: 'admin', paths: ['apps/**'] })
    await scene().hook({ app: 'blog', repo_url: 'git@git.example:acme/blog.git', clone: { kind: 'none' } })
    const { headers, body } = githubPush()
    const answer = await scene().deliver(undefined, JSON.stringify(body), { ...headers, ...bearer() })
    const { jobs } = answer.body as { jobs: { app: string }[] }
    expect(jobs.map(({ app }) => app)).toEqual(['admin', 'shop'])
    const nobody = JSON.stringify({ ref: 'refs/heads/main', sha: sha('b') })
    expect(await scene().deliver(undefined, nobody, bearer())).toMatchObject(ignored('repository'))
    const named = JSON.stringify({ ref: 'refs/heads/main', sha: sha('c'), repository: 'acme/shop' })
    expect(await scene().deliver(undefined, named, bearer())).toMatchObject({ status: 202 })
  })

  it('is good for hooks of its own license alone, and not beside a wrong signature', async () => {
    const hook = await scene().hook()
    const text = JSON.stringify({ ref: 'refs/heads/main', sha: sha('b') })
    const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
    expect(await scene().deliver(hook, text, { ...bearer(), ...wrong })).toMatchObject({ status: 401 })
    const { key } = await scene().served.license('other')
    expect(await scene().deliver(hook, text, { authorization: `Bearer ${key}` })).toMatchObject({
      status: 401,
    })
    expect(await scene().deliver(hook, text, bearer())).toMatchObject({ status: 202 })
  })

  it('of a license that is closed opens nothing, nor does a hook’s secret', async () => {
    const hook = await scene().hook()
    await scene().served.plane.licenses.suspend(scene().served.licenseId)
    expect(await scene().push(hook, githubPush())).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    })
    expect(await scene().deliver(undefined, '{}', bearer())).toMatchObject({ status: 401 })
    await scene().served.plane.licenses.reinstate(scene().served.licenseId)
    expect(await scene().push(hook, githubPush())).toMatchObject({ status: 202 })
  })
})
