import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newDeployKey } from '../../../core/src/work/git/deploy-key.ts'
import { AgentBench } from './agent-bench.ts'
import { appDir, gitIn, gitSource, live, repository, run } from './deploy-bench.ts'
import { GitServer } from './git-server.ts'
import { hasSshd, SshServer } from './ssh-server.ts'

/** The payload of a job that a git hook made. */
const pushed = (repo_url: string, sha: string | undefined, more = {}) => ({
  app: 'shop',
  trigger: 'git',
  source: gitSource(repo_url, sha, { ref: 'refs/heads/main', ...more }),
})

/** A bare copy of a repository of three commits; the last was pushed away by force. */
function served(bench: AgentBench): { path: string; shas: string[] } {
  const { path, shas } = repository(bench, { page: 'one' }, { page: 'two' }, { page: 'three' })
  const bare = join(bench.folder, 'bare.git')
  execFileSync('git', ['clone', '--quiet', '--bare', path, bare])
  gitIn(bare, ['update-ref', 'refs/heads/main', shas[1] ?? ''])
  return { path: bare, shas }
}

const CREDENTIALS = 'x-access-token:t0ken-word'
const BASIC = { type: 'basic', username: 'x-access-token', password: 't0ken-word' }

describe('a commit of a git hook', () => {
  test('is deployed although its branch was moved on, or away from it by force', async () => {
    await using bench = await AgentBench.open()
    const { shas } = served(bench)
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const url = `http://${git.host}/bare.git`
    for (const [index, page] of [
      [0, 'one'],
      [2, 'three'],
    ] as const) {
      const job = await run(bench, 'deploy', pushed(url, shas[index]))
      expect(job).toMatchObject({ state: 'succeeded' })
      expect(await live(bench, 'page')).toBe(page)
      expect(job.lines).toContain(`shop is at ${shas[index]}`)
    }
  })

  test('is found through its ref where a server of protocol v0 names only the tips of branches', async () => {
    await using bench = await AgentBench.open()
    const { path, shas } = served(bench)
    gitIn(path, ['config', 'uploadpack.allowReachableSHA1InWant', 'false'])
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined, protocol: 'v0' })
    const url = `http://${git.host}/bare.git`
    const behind = await run(bench, 'deploy', pushed(url, shas[0]))
    expect(behind).toMatchObject({ state: 'succeeded' })
    expect(behind.lines.join('\n')).toContain(
      'does not hand out this commit by name; fetching refs/heads/main',
    )
    expect(await live(bench, 'page')).toBe('one')
    const away = await run(bench, 'deploy', pushed(url, shas[2]))
    expect(away).toMatchObject({
      state: 'failed',
      error: `exit code 1: the repository does not hold the commit ${shas[2]}`,
    })
    expect(await live(bench, 'page')).toBe('one')
  })

  test('of an annotated tag is the one that the tag names', async () => {
    await using bench = await AgentBench.open()
    const { path } = repository(bench, { page: 'one' })
    gitIn(path, ['tag', '-a', 'v1', '-m', 'first'])
    const tag = gitIn(path, ['rev-parse', 'refs/tags/v1'])
    const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, tag) })
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'page')).toBe('one')
  })

  test.each([
    ['a file', (path: string) => path],
    ['a file with a scheme', (path: string) => `file://${path}`],
    ['a command', () => 'ext::sh -c touch% ran'],
  ])('is not fetched from %s', async (_, urlOf) => {
    await using bench = await AgentBench.open()
    const { path, shas } = repository(bench, { page: 'one' })
    const job = await run(bench, 'deploy', pushed(urlOf(path), shas[0]))
    expect(job).toMatchObject({ state: 'failed' })
    expect(job.lines.join('\n')).toMatch(/transport '(?:file|ext)' not allowed/)
    expect(existsSync('ran')).toBe(false)
  })

  test.each([
    ['a file', (path: string) => path],
    ['a file with a scheme', (path: string) => `file://${path}`],
  ])('is fetched from %s in a trial, and from there alone', async (_, urlOf) => {
    await using bench = await AgentBench.open()
    const { path, shas } = repository(bench, { page: 'one' })
    const trial = { handlerEnvironment: { SVC_LOCAL_REPOSITORIES: '1' } }
    const job = await run(bench, 'deploy', pushed(urlOf(path), shas[0]), trial)
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'page')).toBe('one')
    const other = await run(bench, 'deploy', pushed('ext::sh -c touch% ran', '1'.repeat(40)), trial)
    expect(other).toMatchObject({ state: 'failed' })
    const forged = { ...pushed(urlOf(path), '1'.repeat(40)), local_repositories: '1' }
    const refused = await run(bench, 'deploy', forged)
    expect(refused.lines.join('\n')).toContain("transport 'file' not allowed")
  })

  test('a setting of the machine names no program and no other address', async () => {
    await using bench = await AgentBench.open()
    const { path, shas } = served(bench)
    const mark = join(bench.folder, 'ran')
    gitIn(path, ['config', 'core.fsmonitor', `touch ${mark}`])
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/bare.git`, shas[1]))
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(existsSync(mark)).toBe(false)
  })
})

describe('credentials of a git hook', () => {
  test('a token is shown to its host; no script, argument, log or folder of the app has it', async () => {
    await using bench = await AgentBench.open()
    const script = [
      'env | sort > seen-env',
      'cat "$SVC_JOB_FILE" > seen-job',
      'cat "$SVC_GIT_AUTH_FILE" > seen-file || true',
    ].join('\n')
    const { shas } = repository(bench, { page: 'one', 'deploy.sh': script })
    await using git = await GitServer.start({ root: bench.folder, credentials: CREDENTIALS })
    const payload = pushed(`http://${git.host}/repository/.git`, shas[0], { auth: BASIC })
    const job = await run(bench, 'deploy', payload)
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(new Set(git.shown)).toEqual(new Set([CREDENTIALS]))
    expect(await live(bench, 'seen-job')).toContain('"auth":{"type":"basic"}')
    const release = join(appDir(bench), 'current/')
    const kept = readdirSync(release).map((name) => readFileSync(join(release, name), 'utf8'))
    expect([...kept, job.lines.join('\n')].filter((text) => text.includes('t0ken'))).toEqual([])
    const again = await run(bench, 'redeploy', payload)
    expect(again).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'seen-file')).toBe('')
  })

  test('a token that the repository refuses is in no line and no error', async () => {
    await using bench = await AgentBench.open()
    const { shas } = repository(bench, { page: 'one' })
    await using git = await GitServer.start({ root: bench.folder, credentials: 'other:word' })
    const job = await run(
      bench,
      'deploy',
      pushed(`http://${git.host}/repository/.git`, shas[0], { auth: BASIC }),
    )
    expect(job).toMatchObject({
      state: 'failed',
      error:
        'exit code 1: the repository could not be fetched: the server refused it, or has no such repository',
    })
    expect(job.lines.join('\n')).not.toContain('t0ken')
  })

  test.each([
    ['that the plane has not', { type: 'missing' }],
    ['of a kind that this agent does not know', { type: 'oauth', token: 'x' }],
    ['with a line end', { ...BASIC, password: 'a\nurl=http://attacker.example' }],
  ])('%s fail the job before anything is fetched', async (_, auth) => {
    await using bench = await AgentBench.open()
    const { shas } = repository(bench, { page: 'one' })
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/repository/.git`, shas[0], { auth }))
    expect(job).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('see the git hook of the app'),
    })
    expect(job.lines.join('\n')).not.toContain('fetching')
  })
})

const withSshd = hasSshd() ? describe : describe.skip

withSshd('a deploy key, at a server of ssh', () => {
  let server: SshServer
  beforeAll(async () => {
    server = await SshServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const deploy = (bench: AgentBench, sha: string | undefined, privateKey: string) => {
    const auth = { type: 'deploy_key', private_key: privateKey }
    return run(bench, 'deploy', pushed(server.url(join(bench.folder, 'repository')), sha, { auth }))
  }

  test('opens the repository, another does not, and a server with another key of its own is refused', async () => {
    await using bench = await AgentBench.open()
    const script = 'ls "$SVC_GIT_AUTH_FILE" > seen || true; cat "$SVC_JOB_FILE" >> seen'
    const { shas } = repository(bench, { page: 'one', 'deploy.sh': script }, { page: 'two' })
    const [key, other] = [newDeployKey('svc-shop'), newDeployKey('svc-other')]
    server.admit(key.publicKey)
    const refused = await deploy(bench, shas[0], other.privateKey)
    expect(refused).toMatchObject({
      state: 'failed',
      error:
        'exit code 1: the repository could not be fetched: the server refused it, or has no such repository',
    })
    const job = await deploy(bench, shas[0], key.privateKey)
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'page')).toBe('one')
    expect(await live(bench, 'seen')).not.toMatch(/git-auth|PRIVATE/)
    expect(job.lines.join('\n')).not.toContain('PRIVATE')
    const known = readFileSync(join(bench.stateDir, 'apps', '.known_hosts'), 'utf8')
    expect(known).toMatch(/^\S+ ssh-ed25519 AAAA\S+$/m)
    await server.changeHostKey()
    const changed = await deploy(bench, shas[1], key.privateKey)
    expect(changed).toMatchObject({ state: 'failed' })
    expect(changed.lines.join('\n')).toMatch(
      /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/,
    )
    writeFileSync(join(bench.stateDir, 'apps', '.known_hosts'), '')
    expect(await deploy(bench, shas[1], key.privateKey)).toMatchObject({ state: 'succeeded' })
  }, 30_000)
})
