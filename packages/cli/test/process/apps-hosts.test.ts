// An app on two hosts, with real parts: a service with a relay and two agents, and git.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../../../test/support/free-port.ts'
import { jsonHere } from '../support/svc-here.ts'
import { jsonOf, type Ran, runSvc, SvcProcess } from '../support/svc-process.ts'

let cwd: string
let env: Readonly<Record<string, string>>
const running: SvcProcess[] = []
const HOSTS = ['one', 'two'] as const

const git = (...words: readonly string[]) =>
  execFileSync('git', ['-C', cwd, '-c', 'user.name=Ann', '-c', 'user.email=ann@acme.example', ...words], {
    encoding: 'utf8',
  }).trim()
/** Commits a script that a host refuses whose state folder says so; returns the commit. */
function committed(text: string): string {
  writeFileSync(
    join(cwd, 'deploy.sh'),
    `echo "${text} on $(basename "$SVC_STATE_DIR")"; test ! -e "$SVC_STATE_DIR/refuses"\n`,
  )
  git('add', 'deploy.sh')
  git('commit', '--quiet', '-m', text)
  return git('rev-parse', 'HEAD')
}
const liveOn = (host: string) => readFileSync(join(cwd, host, 'apps/shop/current/deploy.sh'), 'utf8')
const svc = (...words: readonly string[]): Promise<Ran> => runSvc(words, { cwd, env })
const deploy = () => svc('apps', 'deploy', 'shop', '--upload', '--follow')

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-hosts-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  env = {
    SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 7).toString('base64url'),
    SERVICE_DATA_DIR: join(cwd, 'data'),
    RELAY_MODE: 'embedded',
    RELAY_URL: `ws://127.0.0.1:${port}`,
  }
  git('init', '--quiet')
  const service = new SvcProcess(['serve', '--port', String(port), '--tick', '0'], { cwd, env })
  running.push(service)
  await service.serving()
  const { key, license } = await jsonOf<{ key: string; license: { id: string } }>(['licenses', 'issue'], {
    cwd,
    env,
  })
  writeFileSync(join(cwd, 'key'), `${key}\n`, { mode: 0o600 })
  for (const host of HOSTS) {
    const words = ['--url', url, '--state-dir', `./${host}`, '--key-file', './key', '--poll-seconds', '1']
    const agent = new SvcProcess(
      ['agent', 'run', ...words, '--fingerprint', `host-${host}-0123456789abcdef`],
      {
        cwd,
      },
    )
    running.push(agent)
    await agent.until('err', 'the agent is activated')
  }
  for (;;) {
    const { servers } = await jsonHere<{ servers: unknown[] }>(['fleet', 'servers'], { cwd, env })
    if (servers.length === HOSTS.length) break
  }
  const hosts = HOSTS.flatMap((host) => ['--host', `fp:host-${host}-0123456789abcdef`])
  const made = await svc('apps', 'create', 'shop', '--license', license.id, ...hosts)
  if (made.code !== 0) throw new Error(made.err)
}, 120_000)
afterAll(async () => {
  for (const each of running.toReversed()) await each[Symbol.asyncDispose]()
  await rm(cwd, { recursive: true, force: true })
})

test('A folder is sent to both hosts and deployed on one after the other, and the first that refuses leaves the rest', async () => {
  committed('first')
  const first = await deploy()
  expect([first.code, first.out.match(/first on \w+/g)]).toEqual([0, ['first on one', 'first on two']])
  expect(first.err).toContain('host 2 of 2: following job_')
  expect(HOSTS.map(liveOn)).toEqual(HOSTS.map(() => expect.stringContaining('first')))

  const sha = committed('second')
  writeFileSync(join(cwd, 'one', 'refuses'), '')
  const refused = await deploy()
  expect([refused.code, refused.out.match(/second on \w+/g)]).toEqual([1, ['second on one']])
  expect(refused.err).toMatch(/1 host was left as before: svc jobs retry job_\w+ goes on from this one/)
  expect(HOSTS.map(liveOn)).toEqual(HOSTS.map(() => expect.stringContaining('first')))

  rmSync(join(cwd, 'one', 'refuses'))
  const retried = /svc jobs retry (job_\w+)/.exec(refused.err)?.[1] ?? ''
  expect((await svc('jobs', 'retry', retried)).code).toBe(0)
  for (;;) {
    const { releases } = await jsonHere<{ releases: { sha: string; state: string; host: string }[] }>(
      ['apps', 'releases', 'shop'],
      { cwd, env },
    )
    const good = releases.filter((each) => each.sha === sha && each.state === 'succeeded')
    if (good.length === HOSTS.length) break
  }
  expect(HOSTS.map(liveOn)).toEqual(HOSTS.map(() => expect.stringContaining('second')))
}, 180_000)

test('An app moves to another host and back, step by step, and is gone from the first one when that is finished', async () => {
  writeFileSync(join(cwd, 'stop.sh'), 'touch "$SVC_STATE_DIR/stopped"\n')
  git('add', 'stop.sh')
  const sha = committed('moving')
  const isOn = (host: string) => existsSync(join(cwd, host, 'apps/blog/current/deploy.sh'))
  const isStopped = (host: string) => existsSync(join(cwd, host, 'stopped'))
  const [license] = (await jsonHere<{ licenses: { id: string }[] }>(['licenses', 'list'], { cwd, env }))
    .licenses
  const host = ['--host', 'fp:host-one-0123456789abcdef']
  expect((await svc('apps', 'create', 'blog', '--license', license?.id ?? '', ...host)).code).toBe(0)
  expect((await svc('apps', 'deploy', 'blog', '--upload', '--follow')).code).toBe(0)
  const move = (...words: readonly string[]) => svc('apps', 'move', 'blog', ...words)
  const to = ['--to', 'fp:host-two-0123456789abcdef']
  const plan = await move(...to, '--dry-run')
  expect([plan.code, plan.out]).toEqual([
    0,
    expect.stringMatching(/deploy\s.*next\s.*switch\s.*next\s.*stop\s.*next/s),
  ])
  expect(plan.err).toContain(`First ${sha} is sent to the new host from this folder.`)

  writeFileSync(join(cwd, 'two', 'refuses'), '')
  const refused = await move(...to)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('The move stands still')])
  expect(HOSTS.map(isOn)).toEqual([true, false])
  rmSync(join(cwd, 'two', 'refuses'))
  const moved = await move(...to)
  expect([moved.code, moved.err]).toEqual([
    0,
    expect.stringContaining('step 3 of 3, stop on fp:host-one-012'),
  ])
  expect([HOSTS.map(isOn), HOSTS.map(isStopped)]).toEqual([
    [true, true],
    [true, false],
  ])
  expect((await move('--undo')).code).toBe(0)
  expect(HOSTS.map(isStopped)).toEqual([true, true])
  expect((await svc('apps', 'show', 'blog')).out).toContain('fp:host-one')
  expect((await move(...to)).code).toBe(0)
  const finished = await move('--finish')
  expect([finished.code, HOSTS.map(isOn)]).toEqual([0, [false, true]])
  expect((await svc('apps', 'show', 'blog')).out).not.toMatch(/^move/m)
}, 240_000)
