import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildHeartbeat } from '@svc/testing'
import { CliBench } from '../support/cli-bench.ts'

const REPO = 'https://github.com/acme/shop.git'
const SECRET = 'a-secret-that-github-knows'

let bench: CliBench
let folder: string

beforeEach(async () => {
  bench = await CliBench.open()
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-git-'))
  await bench.host('f'.repeat(40), 'web-1')
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await bench[Symbol.asyncDispose]()
})

const add = (...more: readonly string[]) =>
  bench.run('git', 'hooks', 'add', 'shop', '--host', 'web-1', '--repo', REPO, ...more)
const fileWith = (text: string) => {
  const file = join(folder, 'file')
  writeFileSync(file, text)
  return file
}

describe('svc git hooks', () => {
  test('add prints the address, the secret once, and where they are entered at this host', async () => {
    const io = await add()
    expect(io.exitCode).toBe(0)
    expect(io.out.text).toMatch(/^address +http:\/\/127\.0\.0\.1:9\/api\/v1\/git\/webhook\?hook=ghk_\w{26}$/m)
    expect(io.out.text).toMatch(/^secret +whsec_\S{44}$/m)
    expect(io.err.text).toContain('Enter the address and the secret at: Settings > Webhooks > Add webhook')
    expect(io.err.text).toContain('The secret is shown this once.')
    const again = await add('--branch', 'next')
    expect(again.out.text).toMatch(/^branch +next$/m)
    expect(again.out.text).not.toContain('whsec_')
    const shown = await bench.run('git', 'hooks', 'show', 'shop')
    expect(shown.out.text).toMatch(/^address +http/m)
    expect(shown.out.text).not.toContain('whsec_')
  })

  test('add takes every option, and secrets from files alone', async () => {
    const options = ['--tags', 'v*', '--path', 'apps/**', '--path', 'libs/**', '--ignore-path', '**/*.md']
    const more = ['--provider', 'gitea', '--cancel-in-progress', '--no-skip']
    await add(...options, ...more, '--token-file', fileWith('tok-1\nrest\n'))
    const { hook } = await bench.json('git', 'hooks', 'show', 'shop')
    expect(hook).toMatchObject({
      tags: 'v*',
      paths: ['apps/**', 'libs/**'],
      paths_ignore: ['**/*.md'],
      provider: 'gitea',
      cancel_in_progress: true,
      allow_skip: false,
      clone: 'token',
    })
    const own = await add('--secret-file', fileWith(`${SECRET}\n`))
    expect(own.out.text).toMatch(new RegExp(`^secret +${SECRET}$`, 'm'))
    const audited = JSON.stringify(await bench.plane.storage.audit.list(10))
    expect(audited).toContain('git-hooks.add')
    expect(audited).not.toMatch(/tok-1|a-secret/)
  })

  test('add prints the deploy key and where it is entered', async () => {
    const io = await bench.run(
      'git',
      'hooks',
      'add',
      'shop',
      '--host',
      'web-1',
      '--repo',
      'git@gitlab.com:acme/shop.git',
    )
    expect(io.out.text).toMatch(/^deploy key +ssh-ed25519 AAAA\S+ svc-shop$/m)
    expect(io.err.text).toContain('Enter the deploy key at: Settings > Repository > Deploy keys')
    expect(io.err.text).toContain('"Signing token"')
  })

  test('for a server of one’s own a line of curl is printed, without the secret', async () => {
    const io = await bench.run(
      'git',
      'hooks',
      'add',
      'shop',
      '--host',
      'web-1',
      '--repo',
      'https://git.example/x.git',
    )
    expect(io.err.text).toContain(
      `curl -H "Authorization: Bearer $SECRET" -d '{"ref":"refs/heads/main","sha":"…"}'`,
    )
    expect(io.err.text).not.toContain('whsec_')
  })

  test('list, disable, enable, rotate and remove', async () => {
    expect((await bench.run('git', 'hooks', 'list')).err.text).toContain('No git hooks yet')
    await add()
    const listed = await bench.run('git', 'hooks', 'list')
    expect(listed.out.text).toMatch(
      /ghk_\w+ +shop +https:\/\/github\.com\/acme\/shop\.git +main +active +nothing yet/,
    )
    expect((await bench.run('git', 'hooks', 'disable', 'shop')).out.text).toMatch(/^state +paused$/m)
    expect((await bench.run('git', 'hooks', 'enable', 'shop')).out.text).toMatch(/^state +active$/m)
    const rotated = await bench.run('git', 'hooks', 'rotate', 'shop')
    expect(rotated.out.text).toMatch(/^secret +whsec_/m)
    expect(rotated.err.text).toContain('The secret before is taken for a while longer')
    expect((await bench.run('git', 'hooks', 'remove', 'shop')).exitCode).toBe(0)
    const gone = await bench.run('git', 'hooks', 'show', 'shop')
    expect(gone.exitCode).toBe(5)
    expect(gone.err.text).toContain('there is no git hook shop')
  })

  test.each([
    [['--repo', 'ext::sh -c id'], 2, 'repo_url'],
    [['--token-file', 'none'], 2, 'cannot be read'],
    [['--host', 'nowhere'], 5, 'nowhere'],
    [['--path', '***'], 2, 'paths.0'],
  ])('%j is refused', async (more, code, words) => {
    const io = await add(...more)
    expect(io.exitCode).toBe(code)
    expect(io.err.text).toContain(words)
    expect((await bench.json('git', 'hooks', 'list')).hooks).toEqual([])
  })

  test('of two licenses with one app each has to be named by license or id', async () => {
    const other = await bench.plane.licenses.issue({})
    const owner = { licenseId: other.license.id, fingerprint: 'e'.repeat(40) }
    await bench.plane.agents.heartbeat({ ...buildHeartbeat(owner), jobs: [] })
    await add()
    const wishes = { fingerprint: owner.fingerprint, repoUrl: REPO }
    await bench.plane.gitHooks.set(other.license.id, 'shop', wishes)
    expect(await bench.run('git', 'hooks', 'show', 'shop')).toMatchObject({ exitCode: 2 })
    const { hook } = await bench.json('git', 'hooks', 'show', 'shop', '--license', other.license.id)
    expect(hook).toMatchObject({ license_id: other.license.id })
  })
})

describe('svc git deliveries and svc git test', () => {
  test('say what arrived, and that an address leads nowhere', async () => {
    await add()
    const none = await bench.run('git', 'deliveries', 'shop')
    expect(none.err.text).toContain('svc git test shop --sha COMMIT tries the address')
    const { hook } = await bench.json('git', 'hooks', 'show', 'shop')
    const { id } = hook as { id: string }
    const found = await bench.plane.storage.gitHooks.get(PLATFORM, id)
    const document = { ref: 'refs/heads/main', sha: 'a'.repeat(40) }
    const message = { headers: {}, document, bodyDigest: 'x', address: '192.0.2.7' }
    await bench.plane.gitPushes.receive({ licenseId: bench.license.id, hook: found }, message)
    const io = await bench.run('git', 'deliveries', 'shop')
    expect(io.out.text).toMatch(/^just now +accepted +refs\/heads\/main +aaaaaaaaaaaa +job_\w+ +generic +x$/m)
    const tried = await bench.run('git', 'test', 'shop', '--sha', 'b'.repeat(40))
    expect(tried.exitCode).toBe(1)
    expect(tried.out.text).toMatch(/^not delivered: \S+/)
    const short = await bench.run('git', 'test', 'shop', '--sha', 'b'.repeat(41))
    expect(short.exitCode).toBe(2)
    expect(short.err.text).toContain('sha: expected a full commit id')
  })
})
