import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from '@jest/globals'
import { Problem } from '@svc/core'
import { newDeployKey } from '../../../src/work/git/deploy-key.ts'
import {
  isRefName,
  isSameRepository,
  localAddress,
  providerOfHost,
  repoAddress,
} from '../../../src/work/git/git-hook.ts'
import { settingsAfter } from '../../../src/work/git/git-hook-definition.ts'
import {
  globFault,
  globMatcher,
  MAX_STEPS,
  pathMatcher,
  someCounts,
} from '../../../src/work/git/path-globs.ts'
import type { Push } from '../../../src/work/git/push/push.ts'
import { isToHook } from '../../../src/work/git/push/push-verdict.ts'

describe('the address of a repository', () => {
  it.each([
    ['https://github.com/acme/shop.git', 'https', 'github.com', 'acme/shop'],
    ['https://git.example:8443/Acme/Shop', 'https', 'git.example', 'acme/shop'],
    ['ssh://git@git.example:2222/acme/shop.git', 'ssh', 'git.example', 'acme/shop'],
    ['ssh://git.example/srv/git/shop.git', 'ssh', 'git.example', 'srv/git/shop'],
    ['git@github.com:acme/shop.git', 'ssh', 'github.com', 'acme/shop'],
    ['git@git.example:/srv/git/shop.git', 'ssh', 'git.example', 'srv/git/shop'],
    ['git@git.example:~ann/shop.git', 'ssh', 'git.example', '~ann/shop'],
  ])('%s is one', (text, scheme, host, path) => {
    expect(repoAddress(text, false)).toEqual({ scheme, host, path })
  })

  it.each([
    'ext::sh -c touch% /tmp/x',
    'ext::sh -c id',
    '--upload-pack=touch /tmp/x',
    '-u./payload',
    'file:///etc/passwd',
    '/srv/git/shop.git',
    '../shop.git',
    'git://git.example/acme/shop.git',
    'ftp://git.example/acme/shop.git',
    'http://git.example/acme/shop.git',
    'https://ann@git.example/acme/shop.git',
    'https://ann:word@git.example/acme/shop.git',
    'ssh://git:word@git.example/acme/shop.git',
    'ssh://-oProxyCommand=id/acme/shop.git',
    'ssh://git@-oProxyCommand=id/acme/shop.git',
    'git@-oProxyCommand=id:acme/shop.git',
    '-oProxyCommand=id@git.example:acme/shop.git',
    'git@git.example:--upload-pack=id',
    'git@git.example:acme/-shop',
    'git@git.example:acme/$(id).git',
    'git@git.example:acme/`id`.git',
    'git@git.example:acme/shop.git;id',
    'https://git.example/acme/../../etc',
    'https://git.example/acme/shop.git?x=1',
    'https://git.example/acme/shop.git#x',
    'https://git.example/',
    'https://git.example',
    'https:///acme/shop',
    'https://git.example/acme/shop\n.git',
    'https://git.example/acme/sh op.git',
    'https://git.example\\acme/shop.git',
    `https://git.example/${'a'.repeat(512)}`,
    '',
  ])('%j is none', (text) => {
    expect(repoAddress(text, false)).toBeUndefined()
  })

  it('plain http is one outside of production', () => {
    expect(repoAddress('http://127.0.0.1:3000/acme/shop.git', true)).toMatchObject({ path: 'acme/shop' })
    expect(repoAddress('http://ann@127.0.0.1/acme/shop.git', true)).toBeUndefined()
  })

  it('of the host itself is a path from the root, with or without a scheme', () => {
    for (const text of ['/srv/git/Shop.git', 'file:///srv/git/Shop.git'])
      expect(localAddress(text)).toEqual({ scheme: 'file', host: '', path: 'srv/git/shop' })
    for (const text of [
      '',
      '/',
      'shop.git',
      '../shop',
      'file://',
      'file:shop',
      '/a\nb',
      `/${'a'.repeat(501)}`,
    ])
      expect(localAddress(text)).toBeUndefined()
  })

  it.each([
    [true, '/srv/git/shop.git', undefined, 'fp-1'],
    [true, 'file:///srv/git/shop.git', undefined, 'fp-1'],
    [true, '/srv/git/shop.git', 'token', 'clone.kind: expected none for a repository on the host'],
    [true, '/srv/git/shop.git', 'deploy_key', 'clone.kind: expected none for a repository on the host'],
    [false, '/srv/git/shop.git', undefined, 'repo_url: expected https://'],
    [false, 'file:///srv/git/shop.git', undefined, 'repo_url: expected https://'],
  ] as const)(
    'of the host itself is one of hooks in a trial (%s) alone: %s %s',
    (isTrial, repoUrl, kind, said) => {
      const clone = kind && { kind, token: 'a-token' }
      const wishes = { app: 'shop', fingerprint: 'fp-1', repoUrl, clone }
      const outcome = () => {
        try {
          return settingsAfter(wishes, undefined, isTrial).fingerprint
        } catch (error) {
          return error instanceof Problem ? error.data.details?.join() : undefined
        }
      }
      expect(outcome()).toContain(said)
    },
  )

  it('a push to a repository on the host is one to its hook, by the path that the message names', () => {
    const push = { repositories: ['git/shop'] } as unknown as Push
    for (const repoUrl of ['/srv/git/shop.git', 'file:///srv/git/shop.git']) {
      expect(isToHook(push, { repoUrl })).toBe(true)
      expect(isToHook({ ...push, repositories: ['git/blog'] }, { repoUrl })).toBe(false)
    }
  })

  it('a push to a repository is known by any of its names, on any host', () => {
    expect(isSameRepository('acme/shop', ['acme/shop'])).toBe(true)
    expect(isSameRepository('scm/acme/shop', ['acme/shop'])).toBe(true)
    expect(isSameRepository('acme/shop', ['scm/acme/shop'])).toBe(true)
    expect(isSameRepository('acme/shop', ['other/shop', 'acme/shop'])).toBe(true)
    expect(isSameRepository('acme/shop', ['acme/shopping', 'cme/shop', ''])).toBe(false)
    expect(isSameRepository('acme/shop', [])).toBe(false)
  })

  it.each([
    ['github.com', 'github'],
    ['gitlab.com', 'gitlab'],
    ['gitlab.acme.example', 'gitlab'],
    ['codeberg.org', 'gitea'],
    ['forgejo.acme.example', 'gitea'],
    ['bitbucket.org', 'bitbucket'],
    ['git.acme.example', 'generic'],
  ])('%s is a host of %s', (host, provider) => {
    expect(providerOfHost(host)).toBe(provider)
  })
})

test.each(['main', 'feature/x-1', 'v1.0.0', 'grün', 'a@b', '#1'])('%s is the name of a ref', (name) => {
  expect(isRefName(name)).toBe(true)
})

test.each([
  '',
  '-x',
  '/x',
  'x/',
  'x..y',
  'x.',
  'x.lock',
  '.x',
  'a/.x',
  'a//b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  '@{1}',
  'a\n',
  '$(touch x)',
  '+x',
  'x'.repeat(245),
])('%j is the name of no ref', (name) => {
  expect(isRefName(name)).toBe(false)
})

describe('globs of paths', () => {
  it.each([
    ['apps/shop/**', 'apps/shop/index.ts', true],
    ['apps/shop/**', 'apps/shop/a/b/c.ts', true],
    ['apps/shop/**', 'apps/shopping/index.ts', false],
    ['**', 'anything/at/all', true],
    ['**/*.ts', 'index.ts', true],
    ['**/*.ts', 'a/b/index.ts', true],
    ['**/docs/**', 'a/docs/b', true],
    ['*.md', 'README.md', true],
    ['*.md', 'docs/README.md', false],
    ['docs', 'docs', true],
    ['docs', 'docs/x', true],
    ['docs', 'docs.md', false],
    ['apps/shop', 'apps/shop/src/x.ts', true],
    ['apps/shop', 'apps/shopping/x.ts', false],
    ['apps/sho?', 'apps/shop/x.ts', false],
    ['./apps/shop/**', 'apps/shop/x', true],
    ['./*.md', 'README.md', true],
    ['*a*b*', 'xaybz', true],
    ['{a,b}c{d,}', 'bc', true],
    ['{*.ts,*.js}', 'x.js', true],
    ['{*.ts,*.js}', 'x.jsx', false],
    ['v[0-9]+.[0-9]+', 'v12.0', true],
    ['v[0-9]+.[0-9]+', 'v12.', false],
    ['[^a-c]x', 'dx', true],
    ['[^a-c]x', 'bx', false],
    ['{a..c}', 'b', true],
    ['pages/[id]/**', 'pages/[id]/x.ts', true],
    ['{a,b}/[xy]?.txt', 'b/y1.txt', true],
    ['{a,b}/[xy]?.txt', 'c/y1.txt', false],
    ['.github/**', '.github/workflows/ci.yml', true],
    ['*', '.hidden', true],
    ['v*', 'v1.0.0', true],
    ['v*', 'release/v1', false],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(globFault(glob)).toBeUndefined()
    expect(pathMatcher(glob)(path)).toBe(expected)
  })

  it.each([
    '',
    'a//b',
    '/a',
    'a/',
    '***',
    'a**',
    '.',
    '../a/**',
    '{1..10}',
    '{a}',
    '+(a)',
    '!(a)',
    '(a|b)',
    'a\\b',
    '[a',
    '{a/b}',
    '{a,{b,c}}',
    '!a',
    'a\n',
    'x/'.repeat(40),
  ])('%j is no glob', (glob) => {
    expect(globFault(glob)).toBeDefined()
  })

  it('the name of a tag stands for no folder', () => {
    expect(globMatcher('v1')('v1')).toBe(true)
    expect(globMatcher('v1')('v1/x')).toBe(false)
  })

  it.each([
    ['{a,aa}'.repeat(20), 'a'.repeat(40)],
    ['{a,aa}+'.repeat(20), 'a'.repeat(200)],
    [`${'{*a,a*}'.repeat(20)}z`, 'a'.repeat(200)],
    ['*a'.repeat(40), 'a'.repeat(200)],
    [`${'**/'.repeat(15)}*a*/b`, `${'a'.repeat(20)}/`.repeat(20)],
    [`${'*/**/'.repeat(15)}b`, 'a/'.repeat(100)],
  ])('%s takes at most as many steps as the lengths multiplied', (glob, text) => {
    expect(globFault(glob)).toBeUndefined()
    const spent = { steps: 0 }
    expect(globMatcher(glob)(`${text}!`, spent)).toBe(false)
    expect(spent.steps).toBeLessThan(glob.length * (text.length + 1) * 2)
  })

  it('a message that needs too many steps may match, and other work has its turns meanwhile', async () => {
    const glob = '{a,aa}+'.repeat(20)
    const paths = Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(2000)}${index}`)
    let turns = 0
    const others = setInterval(() => turns++, 0)
    expect(
      await someCounts(
        paths,
        Array.from({ length: 50 }, () => glob),
        [],
      ),
    ).toBeUndefined()
    clearInterval(others)
    expect(turns).toBeGreaterThan(2)
    expect(MAX_STEPS).toBeLessThan(10_000_000)
  })

  it('what is ignored does not count, and what cannot be told may', async () => {
    expect(await someCounts(['docs/x', 'a.md'], [], ['docs/**', '*.md'])).toBe(false)
    expect(await someCounts(['docs/x', 'src/a'], [], ['docs/**'])).toBe(true)
    expect(await someCounts(['src/a'], ['src/**'], ['src/a'])).toBe(false)
    expect(await someCounts(['src/b'], ['src/**'], ['src/a'])).toBe(true)
    expect(await someCounts([], ['src/**'], [])).toBe(false)
    const many = Array.from({ length: 20_000 }, (_, index) => `docs/${index}`)
    expect(await someCounts(many, ['src/**'], [])).toBe(false)
    expect(await someCounts(['x'.repeat(4097)], ['src/**'], [])).toBeUndefined()
  })
})

test('OpenSSH reads a deploy key, finds its public half in it, and signs with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-deploy-key-'))
  try {
    for (const name of ['svc-shop', 'svc-a', 'svc-ab', 'svc-abc']) {
      const { publicKey, privateKey } = newDeployKey(name)
      const file = join(folder, name)
      writeFileSync(file, privateKey, { mode: 0o600 })
      chmodSync(file, 0o600)
      const shown = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim()
      expect(shown).toBe(publicKey)
      execFileSync('ssh-keygen', ['-Y', 'sign', '-f', file, '-n', 'svc', file], { stdio: 'ignore' })
    }
    expect(newDeployKey('x').publicKey).not.toBe(newDeployKey('x').publicKey)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
