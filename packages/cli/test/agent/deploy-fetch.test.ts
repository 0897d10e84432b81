import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newDeployKey } from '../../../core/src/work/git/deploy-key.ts'
import { AgentBench } from './agent-bench.ts'
import { gitIn, gitSource, live, run } from './deploy-bench.ts'
import { GitServer } from './git-server.ts'
import { hasSshd, SshServer } from './ssh-server.ts'

/** A repository in a folder of the bench, with these files in its one commit. */
function made(bench: AgentBench, name: string, files: Readonly<Record<string, string>>, format = 'sha1') {
  const path = join(bench.folder, name)
  mkdirSync(path, { recursive: true })
  gitIn(path, ['init', '--quiet', '--initial-branch=main', `--object-format=${format}`])
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  gitIn(path, [...PLAIN, 'add', '--all'])
  return { path, sha: commit(path) }
}

/** Files of git-lfs are stored as they are written here. */
const PLAIN = ['-c', 'filter.lfs.clean=', '-c', 'filter.lfs.process=', '-c', 'filter.lfs.required=false']

function commit(path: string): string {
  gitIn(path, [...PLAIN, 'commit', '--quiet', '-m', 'change'])
  return gitIn(path, ['rev-parse', 'HEAD'])
}

/** A repository whose folder `lib` is a submodule at `url`. */
function withSubmodule(bench: AgentBench, name: string, url: string, sha: string): string {
  const { path } = made(bench, name, {
    page: 'one',
    '.gitmodules': `[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n`,
  })
  gitIn(path, ['update-index', '--add', '--cacheinfo', `160000,${sha},lib`])
  return commit(path)
}

const CREDENTIALS = 'x-access-token:t0ken-word'
const BASIC = { type: 'basic', username: 'x-access-token', password: 't0ken-word' }

const pushed = (url: string, sha: string, auth?: object) => ({
  app: 'shop',
  trigger: 'git',
  source: gitSource(url, sha, { ref: 'refs/heads/main', ...(auth && { auth }) }),
})

test('A repository of SHA-256 is deployed', async () => {
  await using bench = await AgentBench.open()
  const { sha } = made(bench, 'shop.git', { page: 'one' }, 'sha256')
  expect(sha).toHaveLength(64)
  await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
  const job = await run(bench, 'deploy', pushed(`http://${git.host}/shop.git/.git`, sha))
  expect(job).toMatchObject({ state: 'succeeded' })
  expect(await live(bench, 'page')).toBe('one')
})

describe('what a failed fetch says', () => {
  test('of a server that cannot be reached, that another try may help; nothing else is tried', async () => {
    await using bench = await AgentBench.open()
    const job = await run(bench, 'deploy', pushed('http://127.0.0.1:1/shop.git', 'a'.repeat(40)))
    expect(job.error).toBe(
      'exit code 1: the repository could not be fetched: the connection broke; try again',
    )
    expect(job.lines.join('\n')).not.toContain('by name')
  })

  test('of a line that breaks within an answer, that another try may help', async () => {
    await using bench = await AgentBench.open()
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n001e# serv'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const job = await run(bench, 'deploy', pushed(`http://127.0.0.1:${port}/shop.git`, 'a'.repeat(40)))
    server.close()
    expect(job.error).toBe(
      'exit code 1: the repository could not be fetched: the connection broke; try again',
    )
  })

  test('of a repository that is not there, that the server refused it', async () => {
    await using bench = await AgentBench.open()
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/none.git`, 'a'.repeat(40)))
    expect(job.error).toBe(
      'exit code 1: the repository could not be fetched: the server refused it, or has no such repository',
    )
  })

  test('of a commit that the server does not have, that the repository does not hold it', async () => {
    await using bench = await AgentBench.open()
    made(bench, 'shop.git', { page: 'one' })
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/shop.git/.git`, 'a'.repeat(40)))
    expect(job.error).toBe(`exit code 1: the repository does not hold the commit ${'a'.repeat(40)}`)
  })
})

describe('a submodule', () => {
  test('at a relative address is fetched from beside the repository', async () => {
    await using bench = await AgentBench.open()
    const lib = made(bench, 'acme/lib.git', { page: 'lib' })
    const sha = withSubmodule(bench, 'acme/shop.git', '../../lib.git/.git', lib.sha)
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/acme/shop.git/.git`, sha))
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'lib/page')).toBe('lib')
  })

  // The owner of the repository is acme.
  test.each([
    ['none', 'acme/shop-lib', false],
    ['owner', 'acme/shop-lib', true],
    ['owner', 'acme2/lib', false],
    ['owner', 'acme/../other/lib', false],
    ['owner', 'acme/..%2fother/lib', false],
    ['server', 'other/lib', true],
    [undefined, 'acme/shop-lib', false],
  ])(
    'of a private repository, where the hook lends its token to %s: %s',
    async (submodules, name, isLent) => {
      await using bench = await AgentBench.open()
      const place = name.replace('..%2f', '../')
      const lib = made(bench, place, { page: 'lib' })
      await using git = await GitServer.start({ root: bench.folder, credentials: CREDENTIALS })
      const sha = withSubmodule(bench, 'acme/shop', `http://${git.host}/${name}/.git`, lib.sha)
      const auth = { ...BASIC, ...(submodules && { submodules }) }
      const job = await run(bench, 'deploy', pushed(`http://${git.host}/acme/shop`, sha, auth))
      expect(job.state).toBe(isLent ? 'succeeded' : 'failed')
      const elsewhere = git.shownAt.filter((path) => !path.startsWith('/acme/shop/'))
      expect(elsewhere.length > 0).toBe(isLent)
      if (isLent) expect(await live(bench, 'lib/page')).toBe('lib')
      else expect(job.error).toContain("lent to submodules by the setting 'submodules' alone, which is")
    },
  )

  test.each([
    [undefined, 'failed'],
    ['owner', 'succeeded'],
    ['all', 'failed'],
  ])('is fetched with the password of an address where the source says %s', async (submodules, state) => {
    await using bench = await AgentBench.open()
    const lib = made(bench, 'acme/lib', { page: 'lib' })
    await using git = await GitServer.start({ root: bench.folder, credentials: 'bob:s3cretpw99' })
    const sha = withSubmodule(bench, 'acme/shop', '../lib', lib.sha)
    const url = `http://bob:s3cretpw99@${git.host}/acme/shop`
    const source = gitSource(url, sha, { submodules })
    const job = await run(bench, 'deploy', { app: 'shop', source })
    expect(job.state).toBe(state)
    expect(job.lines.join('\n')).not.toContain('s3cret')
  })
})

const hasLfs = (() => {
  try {
    execFileSync('git', ['lfs', 'version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
const withLfs = hasLfs ? describe : describe.skip
const LARGE = 'a large file\n'
const OID = createHash('sha256').update(LARGE).digest('hex')
const POINTED = {
  '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
  'film.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${OID}\nsize ${LARGE.length}\n`,
}

/** A PATH with every program of this machine but git-lfs. */
function pathWithoutLfs(bench: AgentBench): string {
  const folder = join(bench.folder, 'bin')
  mkdirSync(folder)
  const places = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin']
  for (const place of places)
    for (const name of readdirSync(place)) {
      if (name === 'git-lfs') continue
      try {
        symlinkSync(join(place, name), join(folder, name))
      } catch {
        // The first of a name counts.
      }
    }
  return folder
}

test('Pointers of git-lfs do not go live where git-lfs is missing, and other files of that look do', async () => {
  await using bench = await AgentBench.open()
  const { '.gitattributes': _, ...lookalike } = POINTED
  const [large, small] = [made(bench, 'large', POINTED), made(bench, 'small', lookalike)]
  const environment = { PATH: pathWithoutLfs(bench), HOME: bench.folder }
  const deploy = ({ path, sha }: typeof large) =>
    run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) }, { environment })
  expect((await deploy(large)).error).toBe(
    'exit code 1: the repository keeps files in git-lfs, which is not installed on this host: install it, or put the files into the repository',
  )
  expect(await deploy(small)).toMatchObject({ state: 'succeeded' })
})

withLfs('files of git-lfs', () => {
  const largeFiles = new Map([[OID, LARGE]])

  test('are fetched with the token of the hook', async () => {
    await using bench = await AgentBench.open()
    const { sha } = made(bench, 'acme/shop.git', POINTED)
    await using git = await GitServer.start({ root: bench.folder, credentials: CREDENTIALS, largeFiles })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/acme/shop.git/.git`, sha, BASIC))
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(await live(bench, 'film.bin')).toBe(LARGE)
    expect(job.lines).toContain('fetching the files of git-lfs')
  })

  test('that the server does not have fail the deploy in words', async () => {
    await using bench = await AgentBench.open()
    const { sha } = made(bench, 'acme/shop.git', POINTED)
    await using git = await GitServer.start({ root: bench.folder, credentials: undefined })
    const job = await run(bench, 'deploy', pushed(`http://${git.host}/acme/shop.git/.git`, sha))
    expect(job).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('the files of git-lfs could not be fetched'),
    })
  })

  test.each([
    ['none', 'failed'],
    ['owner', 'succeeded'],
  ])('of a submodule follow the setting of submodules: %s', async (submodules, state) => {
    await using bench = await AgentBench.open()
    const lib = made(bench, 'acme/lib', POINTED)
    const sha = withSubmodule(bench, 'acme/shop', '../lib', lib.sha)
    await using git = await GitServer.start({ root: bench.folder, credentials: CREDENTIALS, largeFiles })
    const url = `http://${git.host}/acme/shop`
    const job = await run(bench, 'deploy', pushed(url, sha, { ...BASIC, submodules }))
    expect(job.state).toBe(state)
    if (state === 'succeeded') expect(await live(bench, 'lib/film.bin')).toBe(LARGE)
  })
})

const withSshd = hasSshd() ? describe : describe.skip

withSshd('a deploy key', () => {
  let server: SshServer
  beforeAll(async () => {
    server = await SshServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.each([
    ['none', 'acme/lib', false],
    ['owner', 'acme/lib', true],
    ['owner', 'other/lib', false],
    // A control plane that knows no such setting.
    [undefined, 'other/lib', true],
  ])(
    'that is lent to %s is shown for the submodule %s: %s',
    async (submodules, name, isLent) => {
      await using bench = await AgentBench.open()
      const lib = made(bench, name, { page: 'lib' })
      const sha = withSubmodule(bench, 'acme/shop', server.url(join(bench.folder, name)), lib.sha)
      const key = newDeployKey('svc-shop')
      server.admit(key.publicKey)
      const auth = { type: 'deploy_key', private_key: key.privateKey, ...(submodules && { submodules }) }
      const job = await run(bench, 'deploy', pushed(server.url(join(bench.folder, 'acme/shop')), sha, auth))
      expect(job.state).toBe(isLent ? 'succeeded' : 'failed')
      if (isLent) expect(await live(bench, 'lib/page')).toBe('lib')
      else expect(job.error).toContain("lent to submodules by the setting 'submodules' alone, which is")
    },
    30_000,
  )

  test('that is lent to a server is shown to no other, not even on the same machine', async () => {
    await using bench = await AgentBench.open()
    await using other = await SshServer.start()
    const lib = made(bench, 'acme/lib', { page: 'lib' })
    const sha = withSubmodule(bench, 'acme/shop', other.url(join(bench.folder, 'acme/lib')), lib.sha)
    const key = newDeployKey('svc-shop')
    for (const each of [server, other]) each.admit(key.publicKey)
    const auth = { type: 'deploy_key', private_key: key.privateKey, submodules: 'server' }
    const job = await run(bench, 'deploy', pushed(server.url(join(bench.folder, 'acme/shop')), sha, auth))
    expect(job.error).toBe(
      'exit code 1: a submodule could not be fetched: the server refused it, or has no such repository',
    )
  }, 30_000)
})
