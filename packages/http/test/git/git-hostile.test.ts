import { describe, expect, it } from '@jest/globals'
import { giteaPush, githubPush } from '../../../../test/support/git-payloads/github.ts'
import { sha } from '../../../../test/support/git-payloads/pushed.ts'
import { SIGNERS } from '../../../../test/support/git-payloads/signed.ts'
import { gitScene, HOOKS, REPO, SECRET, WEBHOOK } from './git-scene.ts'

const MIB = 1024 * 1024

describe('hostile messages', () => {
  const scene = gitScene()

  const untouched = async (hook: string) => {
    expect(await scene().jobs()).toEqual([])
    expect(await scene().deliveries(hook)).toEqual([])
  }

  it('a signature by SHA-1 alone, over rewritten JSON, or in the query opens nothing', async () => {
    const hook = await scene().hook()
    const { headers, body } = githubPush()
    const text = JSON.stringify(body, null, 2)
    const rewritten = SIGNERS.github(SECRET, JSON.stringify(JSON.parse(text)))
    const { 'x-hub-signature': old } = SIGNERS.github(SECRET, text)
    expect(await scene().deliver(hook, text, { ...headers, 'x-hub-signature': old })).toMatchObject({
      status: 401,
    })
    expect(await scene().deliver(hook, text, { ...headers, ...rewritten })).toMatchObject({ status: 401 })
    expect(await scene().deliver(`${hook}&secret=${SECRET}`, text, headers)).toMatchObject({ status: 401 })
    expect(await scene().deliver(`${hook}%00`, text, SIGNERS.bearer(SECRET))).toMatchObject({ status: 401 })
    expect(await scene().deliver(hook, text, headers)).toMatchObject({ status: 401 })
    await untouched(hook)
  })

  it.each([
    ['no JSON', '{', 'invalid JSON body'],
    ['10,000 deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'invalid JSON body'],
    ['a list', '[1]', 'no commit sha in push'],
    ['a number', '7', 'no commit sha in push'],
    ['nothing', '', 'no commit sha in push'],
    ['no commit', '{"ref":"refs/heads/main"}', 'no commit sha in push'],
    ['no ref', `{"sha":"${sha('b')}"}`, 'no commit sha in push'],
    ['a short commit', '{"ref":"refs/heads/main","sha":"bbbbbbb"}', 'no commit sha in push'],
    ['an option', '{"ref":"refs/heads/main","sha":"--upload-pack=touch x"}', 'no commit sha in push'],
    ['a commit in capitals', `{"ref":"refs/heads/main","sha":"${sha('B')}"}`, 'no commit sha in push'],
    ['an object for a ref', `{"ref":{"x":1},"sha":"${sha('b')}"}`, 'no commit sha in push'],
  ])('%s is answered 400', async (_, text, error) => {
    const hook = await scene().hook()
    expect(await scene().deliver(hook, text, SIGNERS.github(SECRET, text))).toMatchObject({
      status: 400,
      body: { error },
    })
    await untouched(hook)
  })

  it('bytes that are no UTF-8 are signed as they are', async () => {
    const hook = await scene().hook()
    const text = JSON.stringify({ ref: 'refs/heads/main', sha: sha('b'), pusher: 'X' })
    const bytes = Buffer.from(text)
    bytes[text.indexOf('"X"') + 1] = 0xff
    expect(await scene().deliver(hook, bytes, SIGNERS.github(SECRET, bytes))).toMatchObject({ status: 202 })
    const [job] = await scene().jobs()
    const [line] = await scene().served.plane.jobs.logs(job?.id ?? '', 0, 1)
    expect(line?.line).toBe('git push bbbbbbbbbbbb refs/heads/main by \ufffd')
  })

  it('30 MB are refused, as is more than the setting', async () => {
    const hook = await scene().hook()
    const large = Buffer.alloc(30 * MIB, ' ')
    expect(await scene().deliver(hook, large, SIGNERS.bearer(SECRET))).toMatchObject({ status: 413 })
    await untouched(hook)
  }, 20_000)

  it('what a payload says of repositories is never cloned', async () => {
    const hook = await scene().hook()
    const { headers, body } = githubPush()
    const attacker = 'https://attacker.example/acme/shop.git'
    const repository = {
      full_name: 'acme/shop',
      clone_url: attacker,
      ssh_url: 'ext::sh -c id',
      html_url: attacker,
    }
    expect(await scene().push(hook, { headers, body: { ...body, repository } })).toMatchObject({
      status: 202,
    })
    expect((await scene().claim())?.payload.source.repo_url).toBe(REPO)
  })

  it('names of refs and people that a shell, a terminal or a database could read go nowhere', async () => {
    const hook = await scene().hook({ tags: '*' })
    for (const name of ['$(touch x)', '--upload-pack=id', 'a b', 'v1\u001b[2J'])
      expect(
        await scene().push(
          hook,
          githubPush({ ref: `refs/tags/${name}`, after: sha('c') }, `tag ${name.length}`),
        ),
      ).toMatchObject({ status: 200, body: { ignored: 'tag' } })
    const { headers, body } = githubPush({}, 'x'.repeat(300))
    const named = { ...body, pusher: { name: `ann\u0000\u001b[2J\n${'y'.repeat(5000)}\ud800` } }
    expect(await scene().push(hook, { headers, body: named })).toMatchObject({ status: 202 })
    const [job] = (await scene().jobs()).filter(({ state }) => state === 'pending')
    const [line] = await scene().served.plane.jobs.logs(job?.id ?? '', 0, 1)
    expect(line?.line).toMatch(/^git push b{12} refs\/heads\/main by ann\[2Jy+$/)
    expect(line?.line.length).toBeLessThan(200)
    const [latest] = await scene().deliveries(hook)
    expect(latest?.deliveryId).toMatch(/^[0-9a-f]{64}$/)
  })

  it('keys that lead to a prototype say nothing', async () => {
    const hook = await scene().hook()
    const text = `{"__proto__":{"sha":"${sha('b')}"},"constructor":{"sha":"x"},"ref":"refs/heads/main"}`
    expect(await scene().deliver(hook, text, SIGNERS.bearer(SECRET))).toMatchObject({ status: 400 })
    await untouched(hook)
  })

  it('headers of Gitea and GitHub together are Gitea’s', async () => {
    const hook = await scene().hook()
    const { headers, body } = giteaPush()
    const mixed = { ...headers, 'x-github-event': 'ping', 'x-github-delivery': 'other' }
    expect(await scene().push(hook, { headers: mixed, body }, SIGNERS.gitea)).toMatchObject({ status: 202 })
    expect(await scene().deliveries(hook)).toMatchObject([
      { provider: 'gitea', deliveryId: headers['x-gitea-delivery'] },
    ])
  })

  it('the routes are served under /api alone', async () => {
    for (const path of [HOOKS, WEBHOOK])
      expect(await scene().served.post(path.replace('/api', ''), {})).toMatchObject({ status: 404 })
    expect(await scene().served.get(WEBHOOK)).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  })

  it('strangers use up the limit of their address, not that of a hook; a hook has one too', async () => {
    const hook = await scene().hook()
    const answers = []
    for (let count = 0; count < 130; count += 1) answers.push((await scene().deliver(hook, '{}', {})).status)
    expect(new Set(answers)).toEqual(new Set([401]))
    expect(await scene().push(hook, githubPush())).toMatchObject({ status: 202 })
    const own = []
    for (let count = 0; count < 121; count += 1) own.push((await scene().push(hook, githubPush())).status)
    expect(own.filter((status) => status === 429)).toHaveLength(2)
  })
})

describe('a smaller limit', () => {
  const scene = gitScene({ GIT_WEBHOOK_MAX_BYTES: '2048' })

  it('is kept', async () => {
    const hook = await scene().hook()
    const text = JSON.stringify({ ref: 'refs/heads/main', sha: sha('b'), more: 'x'.repeat(2048) })
    expect(await scene().deliver(hook, text, SIGNERS.bearer(SECRET))).toMatchObject({ status: 413 })
    expect(await scene().deliver(hook, text.replace(/x+/, ''), SIGNERS.bearer(SECRET))).toMatchObject({
      status: 202,
    })
  })
})
