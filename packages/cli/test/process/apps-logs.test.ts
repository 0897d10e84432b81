// The output of an app with real parts: a service with a relay, an agent, and a supervisor.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import '../../../../test/support/standard-input.ts'
import { SshScene, sleep } from '../support/ssh-scene.ts'
import { jsonOf, runSvc, SvcProcess } from '../support/svc-process.ts'

const COMMIT = 'a'.repeat(40)
const TICKER = `ticker: printf '\\033[2Jwiped\\033[31mred\\n'; n=0; while true; do n=$((n+1)); echo tick $n; sleep 0.1; done
other: echo other at work; exec sleep 600
`

let scene: SshScene
let supervisor: SvcProcess
const apps = () => join(scene.folder, 'state', 'apps')
const policy = () => join(scene.folder, 'state', 'access.json')
const logs = (...more: readonly string[]) => scene.run('apps', 'logs', ...more)

beforeAll(async () => {
  scene = await SshScene.open(22, { RELAY_PAIR_TIMEOUT_S: '10' })
  rmSync(policy())
  const release = join(apps(), 'shop', 'releases', COMMIT)
  mkdirSync(release, { recursive: true })
  writeFileSync(join(release, 'Procfile'), TICKER)
  const words = ['--apps', apps(), '--alive-ms', '200', '--port', '0']
  supervisor = new SvcProcess(['host-apps', 'serve', ...words], scene.parts)
  while (!existsSync(join(apps(), '.runtime', 'control.sock'))) await sleep(50)
  writeFileSync(join(scene.folder, 'env'), "GREETING='it'\\''s on'\n")
  const deploy = ['host-apps', 'deploy', '--apps', apps(), '--app', 'shop', '--sha', COMMIT, '--env', './env']
  const deployed = await runSvc([...deploy, '--alive-ms', '200'], scene.parts)
  if (deployed.code !== 0) throw new Error(`${deployed.out}${deployed.err}`)
  const [license] = await scene.sessionsOf(['licenses', 'list'], 'licenses')
  for (const name of ['shop', 'quiet', 'homeless']) {
    const host = name === 'homeless' ? [] : ['--host', scene.host]
    await scene.here('apps', 'create', name, '--license', String(license?.id), ...host, '--json')
  }
}, 60_000)
afterAll(async () => {
  supervisor.kill('SIGTERM')
  await supervisor.end()
  await supervisor[Symbol.asyncDispose]()
  await scene[Symbol.asyncDispose]()
})

test('Output comes over a session of its own from a host that takes no others, and commands no terminal', async () => {
  const { code, out, err } = await logs('shop', '--process', 'ticker', '--lines', '1000')
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(/^\S+Z ticker\.1 \| \[2J|^\S+Z ticker\.1 \| wiped/m)
  expect(out).toContain('\u001b[31mred\u001b[0m\n')
  expect(out).not.toContain('\u001b[2J')
  expect(out).toMatch(/ticker\.1 \| tick 1\n/)
  expect(out).not.toContain('other at work')
  const session = await scene.over()
  expect(session).toMatchObject({ mode: 'logs', state: 'ended', end_reason: 'done', exit_code: 0 })
  expect(String(session.command)).toContain('"process":"ticker"')
  const shell = await scene.run('ssh', scene.host, '--', 'id')
  expect([shell.code, shell.out]).toEqual([255, ''])
  expect(shell.err).toContain('this host takes no sessions: its agent')
}, 60_000)

test('A follower gets each line once until Ctrl-C, which ends the reader on the host', async () => {
  await using svc = new SvcProcess(['apps', 'logs', 'shop', '--follow', '--lines', '3'], scene.parts)
  await svc.until('out', 'tick')
  const first = Number(/tick (\d+)/.exec(svc.out.text)?.[1])
  await svc.until('out', `tick ${first + 20}\n`)
  svc.kill('SIGINT')
  expect(await svc.end()).toBe(130)
  const numbers = [...svc.out.text.matchAll(/tick (\d+)\n/g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(numbers.map((_, index) => first + index))
  expect(await scene.over()).toMatchObject({ mode: 'logs', state: 'ended', end_reason: 'closed' })
}, 60_000)

test('A program with an API token that may deploy reads it, and its session ends with the token', async () => {
  const issue = ['tokens', 'issue', '--label', 'ci', '--role', 'operator']
  const { token, secret } = await jsonOf<{ token: { id: string }; secret: string }>(issue, scene.parts)
  const url = await scene.service.serving()
  const parts = { cwd: scene.folder, env: { SERVICE_TOKEN: secret } }
  const words = ['apps', 'logs', 'shop', '--url', url]
  const ran = await runSvc(['apps', 'run', 'shop', '--url', url, '--', 'id'], parts)
  expect([ran.code, ran.err]).toEqual([255, expect.stringContaining('not for API tokens')])
  const read = await runSvc([...words, '--process', 'other'], parts)
  expect([read.code, read.err]).toEqual([0, ''])
  expect(read.out).toMatch(/other at work\n$/)
  await using follower = new SvcProcess([...words, '--follow'], parts)
  await follower.until('out', 'tick')
  await scene.here('tokens', 'revoke', token.id, '--json')
  expect(await follower.end()).toBe(255)
  expect(follower.err.text).toContain('has lost this session')
}, 60_000)

test.each<[string, readonly string[], RegExp]>([
  ['an app that nobody knows', ['none'], /none/],
  ['an app without a host', ['homeless'], /homeless has no host: svc apps set homeless --host HOST/],
  ['an app that its host has never seen', ['quiet'], /there is no app quiet on this host/],
  ['a process that is none', ['shop', '--process', '-x'], /process/],
  ['a time that is none', ['shop', '--since', '1 hour'], /since/],
])(
  'Logs of %s end with words',
  async (_, args, words) => {
    const { code, out, err } = await logs(...args)
    expect(out).toBe('')
    expect(code).not.toBe(0)
    expect(err).toMatch(words)
  },
  30_000,
)

test.each<[string, string, RegExp]>([
  [
    'lists other kinds alone',
    '{"modes":["shell"]}',
    /shows no output of applications: its access\.json says so/,
  ],
  [
    'takes no sessions at all',
    '{"enabled":false}',
    /shows no output of applications: its access\.json says so/,
  ],
  ['cannot be read', '{', /its access\.json cannot be used/],
])(
  'A host whose access.json %s shows none',
  async (_, text, words) => {
    writeFileSync(policy(), text, { mode: 0o600 })
    const { code, out, err } = await logs('shop')
    rmSync(policy())
    expect([code, out]).toEqual([255, ''])
    expect(err).toMatch(words)
  },
  30_000,
)

test('A command runs in the live release with its variables, streams and exit code, where the host allows it', async () => {
  const words = ['apps', 'run', 'shop', '--']
  const refused = await scene.run(...words, 'id')
  expect([refused.code, refused.err]).toEqual([255, expect.stringContaining('this host takes no sessions')])
  for (const text of ['{"modes":["exec","logs"]}', '{"modes":["run"]}']) {
    writeFileSync(policy(), text, { mode: 0o600 })
    const line =
      'cat; pwd; echo $GREETING $SVC_APP $SVC_RELEASE $SVC_PROCESS; shopt 2>&1; echo err >&2; exit 7'
    await using svc = new SvcProcess([...words, line], { ...scene.parts, input: 'typed\n' })
    const code = await svc.end()
    if (text.includes('exec')) {
      expect([code, svc.out.text]).toEqual([255, ''])
      expect(svc.err.text).toContain('this host takes no sessions of mode run')
      continue
    }
    expect(code).toBe(7)
    const release = join(apps(), 'shop', 'releases', COMMIT)
    expect(svc.out.text).toMatch(new RegExp(`^typed\\n${release}\\nit's on shop 1 run\\.1\\n.*not found\\n$`))
    expect(svc.err.text).toContain('err\n')
  }
  rmSync(policy())
  const session = await scene.over()
  expect(session).toMatchObject({ mode: 'run', state: 'ended', end_reason: 'done', exit_code: 7 })
  expect(String(session.command)).toContain('exit 7')
}, 60_000)

test('From a host whose agent is gone the words come after the time for both sides to meet', async () => {
  scene.agent.kill('SIGKILL')
  await scene.agent.end()
  const { code, err } = await logs('shop')
  expect([code, err]).toEqual([255, expect.stringContaining('did not come to the relay in time')])
  await scene.startAgent()
  expect((await logs('shop', '--lines', '1')).code).toBe(0)
}, 60_000)
