import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { embeddedFolder } from '@svc/testing'
import { freePort } from '../../../../test/support/free-port.ts'
import { GitServer } from '../agent/git-server.ts'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const IDENTITY = { GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@acme.example' }
const ENV = {
  PATH: process.env.PATH,
  ...IDENTITY,
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@acme.example',
}

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', join(cwd, folder), ...words], {
    env: { ...ENV, HOME: cwd },
    encoding: 'utf8',
  }).trim()

/** The script that a bare repository runs after a push: it tells the address that stands beside it. */
const POST_RECEIVE = `#!/bin/sh
while read -r before sha ref; do
  printf 'header = "Authorization: Bearer %s"\\n' "$(cat svc-secret)" |
    curl --silent --show-error --config - "$(cat svc-address)" \\
      --data "{\\"ref\\":\\"$ref\\",\\"before\\":\\"$before\\",\\"sha\\":\\"$sha\\"}"
done
`

/** A bare repository, and a working copy of it. */
function repositories(address: string, secret: string): void {
  mkdirSync(join(cwd, 'git'))
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', join(cwd, 'git/shop.git')])
  for (const [name, text] of [
    ['svc-address', address],
    ['svc-secret', secret],
    ['hooks/post-receive', POST_RECEIVE],
  ] as const)
    writeFileSync(join(cwd, 'git/shop.git', name), text)
  chmodSync(join(cwd, 'git/shop.git/hooks/post-receive'), 0o755)
  execFileSync('git', ['clone', '--quiet', join(cwd, 'git/shop.git'), join(cwd, 'shop')], { stdio: 'ignore' })
}

/** Commits a page and pushes it; returns the commit. */
function pushed(page: string): string {
  writeFileSync(join(cwd, 'shop/index.html'), page)
  git('shop', 'add', '--all')
  git('shop', 'commit', '--quiet', '-m', page)
  git('shop', 'push', '--quiet', '--force', 'origin', 'HEAD:main')
  return git('shop', 'rev-parse', 'HEAD')
}

interface Listed {
  readonly deliveries: readonly { readonly outcome: string; readonly sha: string; readonly job_id: string }[]
}

const withCurl = spawnSync('curl', ['--version']).error === undefined ? test : test.skip

withCurl(
  'A push to a bare repository deploys its very commit by the shipped agent, though the branch moved on',
  async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    await using server = new SvcProcess(['serve', '--port', String(port), '--data-dir', '.svc'], {
      cwd,
      env: { SERVICE_PUBLIC_URL: url },
    })
    await server.serving()
    const { key } = await jsonHere<{ key: string }>(['licenses', 'issue'], { cwd })
    await using source = await GitServer.start({ root: join(cwd, 'git'), credentials: undefined })
    const agentParts = { cwd, env: { SERVICE_LICENSE_KEY: key } }
    const run = ['agent', 'run', '--url', url, '--state-dir', 'agent', '--once']
    // The first run makes the host known.
    expect((await runSvc(run, agentParts)).code).toBe(0)
    const { servers } = await jsonHere<{ servers: { id: string }[] }>(['fleet', 'servers'], { cwd })
    const add = [
      'git',
      'hooks',
      'add',
      'shop',
      '--host',
      servers[0]?.id ?? '',
      '--repo',
      `http://${source.host}/shop.git`,
    ]
    const hook = await jsonHere<{ webhook_url: string; secret: string }>(add, { cwd })
    repositories(hook.webhook_url, hook.secret)

    const first = pushed('one')
    const bare = join('git', 'shop.git')
    const elsewhere = git('shop', 'commit-tree', git('shop', 'write-tree'), '-m', 'another')
    git('shop', 'push', '--quiet', '--force', join(cwd, bare), `${elsewhere}:refs/heads/side`)
    git(bare, 'update-ref', 'refs/heads/main', elsewhere)
    expect((await runSvc(run, agentParts)).code).toBe(0)
    const live = (name: string) => readFileSync(join(cwd, 'agent/apps/shop/current', name), 'utf8')
    expect(live('index.html')).toBe('one')
    const { deliveries } = await jsonHere<Listed>(['git', 'deliveries', 'shop'], { cwd })
    expect(deliveries).toMatchObject([{ ignored: 'branch' }, { outcome: 'accepted', sha: first }])
    const log = await runSvc(['jobs', 'logs', deliveries[1]?.job_id ?? ''], { cwd })
    expect(log.out).toContain(`git push ${first.slice(0, 12)} refs/heads/main by somebody\n`)
    expect(log.out).toContain(`shop is at ${first}\n`)

    pushed('two')
    const third = pushed('three')
    expect((await runSvc(run, agentParts)).code).toBe(0)
    expect(live('index.html')).toBe('three')
    const jobs = await jsonHere<{ jobs: { state: string; error?: string }[] }>(
      ['jobs', 'list', '--app', 'shop'],
      { cwd },
    )
    expect(jobs.jobs).toMatchObject([
      { state: 'succeeded' },
      { state: 'failed', error: `superseded by ${third.slice(0, 12)}` },
      { state: 'succeeded' },
    ])

    const tried = await jsonHere<{ http_status: number }>(['git', 'test', 'shop', '--sha', first], { cwd })
    expect(tried).toMatchObject({ delivered: true, http_status: 202 })
    const off = await runSvc(['git', 'hooks', 'disable', 'shop'], { cwd })
    expect(off.out).toMatch(/^state +paused$/m)
    const again = await jsonHere<{ answer: string }>(['git', 'test', 'shop', '--sha', first], { cwd })
    expect(JSON.parse(again.answer)).toEqual({ ok: true, accepted: false, ignored: 'disabled' })
  },
  90_000,
)
