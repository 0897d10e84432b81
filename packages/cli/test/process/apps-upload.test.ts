// Commits that are sent to a host, with real parts: a trial with its relay, agent and supervisor, and git.
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SOURCES, SvcProcess } from '../support/svc-process.ts'

let cwd: string
let up: SvcProcess
const apps = () => join(cwd, '.svc', 'agent', 'apps')
const uploads = () => join(apps(), 'shop', '.uploads.git')

const ENV = {
  PATH: process.env.PATH,
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@acme.example',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@acme.example',
  GIT_CONFIG_NOSYSTEM: '1',
}
const git = (folder: string, words: readonly string[], input = ''): string =>
  execFileSync('git', ['-C', join(cwd, folder), ...words], { env: { ...ENV, HOME: cwd }, input })
    .toString()
    .trim()

/** Commits a page; returns the commit. */
function committed(page: string, more: Readonly<Record<string, string | Buffer>> = {}): string {
  for (const [name, content] of Object.entries({ 'index.html': page, ...more }))
    writeFileSync(join(cwd, 'shop', name), content)
  git('shop', ['add', '--all'])
  git('shop', ['commit', '--quiet', '-m', page])
  return git('shop', ['rev-parse', 'HEAD'])
}

const inFolder = (folder = 'shop') => ({
  cwd: join(cwd, folder),
  env: { ...ENV, HOME: cwd, SERVICE_DATA_DIR: join(cwd, '.svc') },
})
const deploy = (...more: readonly string[]) =>
  runSvc(['apps', 'deploy', 'shop', '--upload', '--follow', ...more], inFolder())
const svc = <A>(...words: readonly string[]) => jsonHere<A>(words, { cwd })

interface Release {
  readonly sha: string
  readonly state: string
  readonly by: string
  readonly uploaded?: boolean
}
const releases = async () => (await svc<{ releases: Release[] }>('apps', 'releases', 'shop')).releases
const lastSession = async () =>
  (await svc<{ sessions: { mode: string; bytes_in: number; command: string }[] }>('ssh', 'sessions'))
    .sessions[0]

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  mkdirSync(join(cwd, 'shop'))
  git('shop', ['init', '--quiet'])
  up = new SvcProcess(['up', '--port', '0'], { cwd })
  await up.until('out', 'Ctrl-C ends it')
  const { licenses } = await svc<{ licenses: { id: string }[] }>('licenses', 'list')
  const { servers } = await svc<{ servers: { id: string }[] }>('fleet', 'servers')
  const words = ['--license', licenses[0]?.id ?? '', '--host', servers[0]?.id ?? '']
  await svc('apps', 'create', 'shop', ...words)
}, 180_000)
afterAll(async () => {
  up.kill('SIGINT')
  await up.end()
  await up[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

test('HEAD is sent and deployed without a server of git, then what is new alone; a release says so, and one goes back to it', async () => {
  const first = committed('one', { large: randomBytes(1_000_000) })
  writeFileSync(join(cwd, 'shop', 'index.html'), 'not yet')
  writeFileSync(join(cwd, 'shop', 'new'), '')
  const sent = await deploy()
  expect(sent.err).toContain('2 files are not committed and not sent: git status\n')
  expect([sent.code, sent.out]).toEqual([0, expect.stringContaining(`shop is at ${first}\n`)])
  expect(git('.svc/agent/apps/shop/current', ['hash-object', 'index.html'])).toBe(
    git('shop', ['rev-parse', 'HEAD:index.html']),
  )
  expect(await lastSession()).toMatchObject({ mode: 'upload', command: expect.stringContaining(first) })
  expect((await lastSession())?.bytes_in).toBeGreaterThan(1_000_000)

  const second = committed('two')
  expect((await deploy()).code).toBe(0)
  expect((await lastSession())?.bytes_in).toBeLessThan(5_000)
  expect(await releases()).toMatchObject([
    { sha: second, state: 'succeeded', uploaded: true, by: expect.stringMatching(/^cli:|^local:/) },
    { sha: first, state: 'succeeded', uploaded: true },
  ])

  // Its files are gone here, and are taken from the upload again.
  rmSync(join(apps(), 'shop', 'releases', first), { recursive: true })
  const back = await runSvc(['apps', 'rollback', 'shop', '--follow'], inFolder())
  expect([back.code, back.out]).toEqual([0, expect.stringContaining(`fetching ${first} from`)])
  expect((await releases())[0]).toMatchObject({ sha: first, uploaded: true })
  const again = await runSvc(['apps', 'deploy', 'shop', '--follow'], inFolder())
  expect([again.code, again.out]).toEqual([0, expect.stringContaining(first)])
}, 180_000)

test('A clone of the newest commit alone can be sent, and a commit that the host has is not sent again', async () => {
  const third = committed('three')
  const url = `file://${join(cwd, 'shop')}`
  execFileSync('git', ['clone', '--quiet', '--depth', '1', url, join(cwd, 'young')], { stdio: 'ignore' })
  const words = ['apps', 'deploy', 'shop', '--upload', '--follow']
  const sent = await runSvc(words, inFolder('young'))
  expect([sent.code, sent.out]).toEqual([0, expect.stringContaining(`shop is at ${third}`)])
  expect((await runSvc(words, inFolder('young'))).code).toBe(0)
  expect((await lastSession())?.bytes_in).toBeLessThan(100)
}, 180_000)

test.each<[string, string, RegExp]>([
  ['lists other kinds', '{"modes":["logs"]}', /takes no uploads of applications: its access\.json says so/],
  ['takes no sessions', '{"enabled":false}', /takes no uploads of applications: its access\.json says so/],
])(
  'A host whose access.json %s is sent nothing, and nothing is deployed',
  async (_, text, words) => {
    committed(text)
    const before = (await releases()).length
    writeFileSync(join(cwd, '.svc', 'agent', 'access.json'), text, { mode: 0o600 })
    const { code, err } = await deploy()
    rmSync(join(cwd, '.svc', 'agent', 'access.json'))
    expect(code).not.toBe(0)
    expect(err).toMatch(words)
    expect(await releases()).toHaveLength(before)
  },
  30_000,
)

test('What cannot be sent is said, and a commit that the host was not sent fails its job', async () => {
  mkdirSync(join(cwd, 'plain'))
  for (const [folder, words, said] of [
    ['plain', [], /in no repository of git/],
    ['shop', ['--sha', 'a'.repeat(40)], /leave --sha and --ref away/],
  ] as const) {
    const ran = await runSvc(['apps', 'deploy', 'shop', '--upload', ...words], inFolder(folder))
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(said)])
  }
  const payload = JSON.stringify({ app: 'shop', source: { type: 'upload', sha: 'b'.repeat(40) } })
  const job = ['jobs', 'enqueue', 'deploy', '--payload', payload, '--follow']
  const { licenses } = await svc<{ licenses: { id: string }[] }>('licenses', 'list')
  const ran = await runSvc([...job, '--license', licenses[0]?.id ?? ''], inFolder())
  expect([ran.code, ran.out + ran.err]).toEqual([
    1,
    expect.stringContaining(`this host has no upload of ${'b'.repeat(40)}: svc apps deploy shop --upload`),
  ])
}, 180_000)

/** Sends a commit to the program of a host, as a session does. */
function sendTo(sha: string, refs: string, ...more: readonly string[]) {
  const program = [process.execPath, ...SOURCES, 'host-apps', 'upload', '--apps', apps()]
  const words = [...program, '--app=shop', `--sha=${sha}`, ...more].join(' ')
  return spawnSync('git', ['send-pack', `--receive-pack=${words} #`, '.', refs], {
    ...inFolder(),
    encoding: 'utf8',
  })
}

test('The host looks at what comes with git itself: objects that are no good, and too many bytes', async () => {
  const good = committed('good')
  const blob = git('shop', ['hash-object', '-w', '--stdin'], 'out')
  const entry = Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(blob, 'hex')])
  writeFileSync(join(cwd, 'tree'), entry)
  const tree = git('shop', ['hash-object', '-t', 'tree', '--literally', '-w', join(cwd, 'tree')])
  const bad = git('shop', ['commit-tree', tree, '-m', 'leads out'])
  const refused = sendTo(bad, `${bad}:refs/uploads/${bad}`)
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain('hasDotdot')
  const large = committed('large', { huge: randomBytes(200_000) })
  const stopped = sendTo(large, `${large}:refs/uploads/${large}`, '--max-bytes=100000')
  expect(stopped.status).not.toBe(0)
  expect(stopped.stderr).toContain('pack exceeds maximum allowed size')
  expect(sendTo(good, `${good}:refs/uploads/${good}`).status).toBe(0)
  const kept = readdirSync(join(uploads(), 'refs', 'uploads'))
  expect([good, bad, large].map((sha) => kept.includes(sha))).toEqual([true, false, false])
  expect(existsSync(join(uploads(), 'hooks'))).toBe(false)
}, 180_000)
