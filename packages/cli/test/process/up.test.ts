import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '../agent/agent-bench.ts'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const UP = ['up', '--port', '0']

/** The words of the command that the welcome prints for `verb`, as a shell reads them, without `svc`. */
async function printed(welcome: string, verb: string): Promise<string[]> {
  const line = welcome.split('\n').find((each) => each.includes(` ${verb} `)) ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${line}`])
  return stdout.trimEnd().split('\n').slice(1)
}

/** The page of the sample application, by the port of the front. */
function pageOf(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { host: 'hello.localhost' }
  const asked = request({ host: '127.0.0.1', port, headers, agent: false }, (response) => {
    text(response).then(resolve, reject)
  })
  asked.once('error', reject).end()
  return promise
}

async function environments(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')))
}

async function allArguments(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.join('\n')
}

const modeOf = async (...path: readonly string[]) => (await stat(join(cwd, ...path))).mode & 0o777

test('svc up serves, attaches an agent, and its printed commands work: a deploy at the exact commit, the fleet, health', async () => {
  await using up = new SvcProcess(UP, { cwd })
  await up.until('out', 'Ctrl-C ends it')
  const url = /address +(\S+)/.exec(up.out.text)?.[1] ?? ''
  const key = /license key +(\S+)/.exec(up.out.text)?.[1] ?? ''
  expect((await readFile(join(cwd, '.svc', 'license-key'), 'utf8')).trim()).toBe(key)
  expect(await modeOf('.svc')).toBe(0o700)
  expect(await modeOf('.svc', 'license-key')).toBe(0o600)
  expect(await modeOf('.svc', 'signing-key')).toBe(0o600)

  const words = await printed(up.out.text, 'apps deploy')
  const sha = words[words.indexOf('--sha') + 1]
  const deploy = await runSvc(words, { cwd })
  expect(deploy.code).toBe(0)
  expect(deploy.out).toContain('found package.json: node, by its script start\n')
  expect(deploy.out).toMatch(/^job_\w+ succeeded after \d+s$/m)
  const release = join(cwd, '.svc', 'agent', 'apps', 'hello', 'current', 'server.js')
  expect(await readFile(release, 'utf8')).toContain('Deployed by svc')
  const address = /http:\/\/hello\.localhost:(\d+)/.exec(up.out.text)
  expect(deploy.out).toContain(`hello answers at ${address?.[0]}\n`)
  expect(await pageOf(Number(address?.[1]))).toContain(`Deployed by svc: release 1, commit ${sha}`)
  const jobId = /^(job_\w+) succeeded/m.exec(deploy.out)?.[1] ?? ''
  expect((await runSvc(['jobs', 'logs', jobId], { cwd })).out).toContain(`hello is at ${sha}\n`)

  expect((await runSvc(['apps', 'env', 'set', 'hello', '--plain', 'GREETING=hi'], { cwd })).code).toBe(0)
  const again = await runSvc(['apps', 'deploy', 'hello', '--follow'], { cwd })
  expect(again.out).toMatch(/switched to release 2\n/)
  expect(again.code).toBe(0)
  expect(await pageOf(Number(address?.[1]))).toContain('hi')

  const logs = await runSvc(['apps', 'logs', 'hello', '--process', 'web'], { cwd })
  expect([logs.code, logs.err]).toEqual([0, ''])
  expect(logs.out).toMatch(/^\S+Z web\.1 \| hello listens$/m)
  const run = await runSvc(['apps', 'run', 'hello', '--', 'echo $GREETING; exit 3'], { cwd })
  expect([run.code, run.out]).toEqual([3, 'hi\n'])
  const shell = await runSvc(['ssh', hostname(), '--', 'id'], { cwd })
  expect([shell.code, shell.err]).toEqual([255, expect.stringContaining('this host takes no sessions')])

  const fleet = await runSvc(await printed(up.out.text, 'fleet'), { cwd })
  expect(fleet.out).toMatch(/agt_\w{12} +\S+ +(online|busy) /)
  const password = 'correct horse battery'
  expect(up.out.text).toContain(`    ${url}/console\n`)
  // Words about it stand behind the command.
  const line = await printed(up.out.text, 'users first-code')
  const coded = await runSvc(line.slice(0, line.indexOf('first-code') + 1), { cwd })
  expect([coded.code, coded.out]).toEqual([0, expect.stringMatching(/^\S+\n$/)])
  const code = coded.out.trim()
  const made = await fetch(`${url}/console/first`, {
    method: 'POST',
    redirect: 'manual',
    headers: { connection: 'close', 'content-type': 'application/x-www-form-urlencoded' },
    body: `${new URLSearchParams({ code, email: 'you@example.com', password })}`,
  })
  expect(made.status).toBe(303)
  const [cookie = ''] = made.headers.getSetCookie()
  const first = await fetch(`${url}/console`, { headers: { connection: 'close', cookie } })
  expect(await first.text()).toContain('<strong>1</strong> hosts up')

  const health = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  expect(health.status).toBe(200)
  await health.arrayBuffer()
  const remote = { cwd, env: { SERVICE_URL: url, SERVICE_LICENSE_KEY: key } }
  expect(await jsonHere(['fleet', 'servers'], remote)).toMatchObject({
    servers: [{ state: expect.any(String) }],
  })

  expect(await allArguments()).not.toContain(key)
  expect(up.err.text).not.toContain(key)
  expect(up.err.text).toMatch(
    /^starting the control plane on \.svc …\nwaiting for the first report of this machine …\n/,
  )
  up.kill('SIGINT')
  expect(await up.end()).toBe(0)
}, 90_000)

test('The applications end with svc up, however it ends, and come back with the next one', async () => {
  const instances = async () =>
    (await environments()).filter((text) => text.includes(`SVC_APPS_RUNTIME=${cwd}`))
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    await using up = new SvcProcess(UP, { cwd })
    await up.until('out', 'Ctrl-C ends it')
    if (signal === 'SIGKILL') {
      const deploy = await runSvc(await printed(up.out.text, 'apps deploy'), { cwd })
      expect(deploy.code).toBe(0)
    }
    const port = Number(/hello\.localhost:(\d+)/.exec(up.out.text)?.[1])
    await eventually(async () => (await pageOf(port).catch(() => '')).includes('Deployed by svc'))
    up.kill(signal)
    await up.end()
    await eventually(async () => (await instances()).length === 0)
  }
}, 120_000)

test('A second svc up keeps license, signing key, host and jobs', async () => {
  const seen: { readonly key: string; readonly ids: readonly string[] }[] = []
  for (let run = 0; run < 2; run += 1) {
    await using up = new SvcProcess(UP, { cwd })
    await up.until('out', 'Ctrl-C ends it')
    const { servers } = await jsonHere<{ servers: { id: string }[] }>(['fleet', 'servers'], { cwd })
    const key = await readFile(join(cwd, '.svc', 'license-key'), 'utf8')
    seen.push({
      key: key + (await readFile(join(cwd, '.svc', 'signing-key'), 'utf8')),
      ids: servers.map(({ id }) => id),
    })
    up.kill('SIGTERM')
    expect(await up.end()).toBe(0)
  }
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]?.ids).toHaveLength(1)
}, 90_000)

test('A killed svc up takes its agent with it', async () => {
  await using up = new SvcProcess(UP, { cwd })
  await up.until('out', 'Ctrl-C ends it')
  const agentOf = async () => (await allArguments()).includes(`${join(cwd, '.svc', 'agent')}\0`)
  expect(await agentOf()).toBe(true)
  up.kill('SIGKILL')
  await up.end()
  expect(await agentOf()).toBe(false)
}, 60_000)

test('In production svc up starts too, without the sample: no app has its repository on this machine there', async () => {
  await using up = new SvcProcess(UP, { cwd, env: { NODE_ENV: 'production' } })
  await up.until('out', 'Ctrl-C ends it')
  expect(up.out.text).toContain('jobs enqueue prune')
  expect(await jsonHere<{ apps: readonly object[] }>(['apps', 'list'], { cwd })).toEqual({ apps: [] })
  up.kill('SIGINT')
  expect(await up.end()).toBe(0)
}, 60_000)
