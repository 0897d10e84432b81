import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { writeOneFileAgent } from '../../../../scripts/one-file-agent.ts'
import { order, statusOf } from '../../src/host-apps/control-client.ts'
import { AgentBench, eventually, isAlive } from '../agent/agent-bench.ts'
import { appDir, gitSource, live, repository, run } from '../agent/deploy-bench.ts'
import { SERVER } from './apps-bench.ts'

const MANIFEST = JSON.stringify({ scripts: { start: 'node server.js' } })
const oneFile = join(mkdtempSync(join(tmpdir(), 'svc-one-file-')), 'svc-agent.mjs')
const PROGRAM = { program: [process.execPath, oneFile] }

beforeAll(() => writeOneFileAgent(oneFile), 60_000)
afterAll(() => rmSync(dirname(oneFile), { recursive: true, force: true }))

const appsOf = (bench: AgentBench) => join(bench.stateDir, 'apps')
const statusIn = async (bench: AgentBench) => (await statusOf(appsOf(bench)))?.apps[0]

async function get(bench: AgentBench, path = '/'): Promise<string> {
  const port = (await statusOf(appsOf(bench)))?.port
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { host: 'shop.localhost' }
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
    text(response).then(resolve, reject),
  )
  asked.once('error', reject).end()
  return promise
}

/** The processes of an apps folder, its supervisor among them. */
async function processesOf(bench: AgentBench): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      const files = ['environ', 'cmdline'].map((file) =>
        readFile(`/proc/${name}/${file}`, 'utf8').catch(() => ''),
      )
      const [environ = '', cmdline = ''] = await Promise.all(files)
      return environ.includes(`SVC_APPS_RUNTIME=${appsOf(bench)}`) || cmdline.includes(appsOf(bench))
        ? [Number(name)]
        : []
    }),
  )
  return found.flat()
}

const supervisorOf = async (bench: AgentBench): Promise<number> =>
  JSON.parse(await readFile(join(appsOf(bench), '.runtime', 'lock'), 'utf8')).pid

/** Ends the supervisor and everything it keeps running. */
async function endAll(bench: AgentBench): Promise<void> {
  process.kill(await supervisorOf(bench), 'SIGTERM')
  await eventually(async () => (await processesOf(bench)).length === 0)
}

const PYTHON = `
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sys.prefix.encode())
http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
`

const hasVenv = spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0
const onPython = hasVenv ? test : test.skip

onPython(
  'A program of Python runs with the packages of its release, or says why it cannot',
  async () => {
    await using bench = await AgentBench.open()
    const definition = {
      version: 1,
      build: { type: 'python' },
      processes: { web: { command: 'exec python app.py' } },
    }
    const { path, shas } = repository(
      bench,
      { 'app.py': PYTHON, 'requirements.txt': '', 'svc.json': JSON.stringify(definition) },
      { '.python-version': '2.7' },
    )
    const deploy = (sha: string | undefined) =>
      run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha) }, PROGRAM)
    const first = await deploy(shas[0])
    expect([first.state, first.lines.join('\n')]).toEqual([
      'succeeded',
      expect.stringContaining('requirements.txt'),
    ])
    expect(await get(bench)).toMatch(/\/releases\/[0-9a-f]{40}\/\.venv$/)
    const second = await deploy(shas[1])
    expect(second.lines.join('\n')).toMatch(/\.python-version wants 2\.7, and this host has 3\.\d+/)
    await endAll(bench)
  },
  120_000,
)

test('A build has the variables that it names alone, and is ended with all it started after its time', async () => {
  await using bench = await AgentBench.open()
  const command = 'echo "$TOKEN. $WORD."; echo $TOKEN >made; if [ -e slow ]; then sleep 987 & sleep 987; fi'
  const definition = (timeout_s: number) =>
    JSON.stringify({ version: 1, build: { command, env: ['TOKEN', 'LACKING'], timeout_s } })
  const { path, shas } = repository(
    bench,
    { 'package.json': MANIFEST, 'server.js': SERVER, 'svc.json': definition(60) },
    { slow: '', 'svc.json': definition(1) },
  )
  const deploy = (sha: string | undefined, TOKEN: string) =>
    run(bench, 'deploy', { app: 'shop', source: gitSource(path, sha), env: { TOKEN, WORD: 'x' } }, PROGRAM)
  const first = await deploy(shas[0], 'one')
  expect(first.lines).toEqual(expect.arrayContaining(['one. .', 'build.env: shop has no variable LACKING']))
  const again = await deploy(shas[0], 'two')
  expect(again.lines).toContain('built already, with other variables: the next commit is built with these')
  expect(await live(bench, 'made')).toBe('one\n')
  const slow = await deploy(shas[1], 'two')
  expect(slow.state).toBe('failed')
  expect(slow.lines.join('\n')).toContain('the build: it ran longer than 1 s, and was ended')
  expect(spawnSync('pgrep', ['-f', '^sleep 987'], { encoding: 'utf8' }).stdout).toBe('')
  await endAll(bench)
})

test('Of several hosts the first runs the release command, and an application with a volume is refused', async () => {
  await using bench = await AgentBench.open()
  const definition = {
    version: 1,
    processes: { work: { command: 'exec sleep 600' } },
    release: 'echo released',
  }
  const { path, shas } = repository(
    bench,
    { 'svc.json': JSON.stringify(definition) },
    { 'svc.json': JSON.stringify({ ...definition, volumes: { uploads: '/data/uploads' } }) },
  )
  const deploy = (index: number, host: number, more: object = { roll: { host, of: 2 } }) =>
    run(
      bench,
      'deploy',
      { app: 'shop', source: gitSource(path, shas[index]), restart: true, ...more },
      PROGRAM,
    )
  expect((await deploy(0, 1)).lines).toContain('released')
  const second = await deploy(0, 2)
  expect([second.state, second.lines.includes('released')]).toEqual(['succeeded', false])
  const refused = await deploy(1, 1)
  expect([refused.state, refused.lines.join('\n')]).toEqual([
    'failed',
    expect.stringContaining(
      'shop has 2 hosts, and its volume uploads is on one: svc apps set shop --host HOST',
    ),
  ])
  const left = await deploy(1, 1, { move: { data: false } })
  expect([left.state, left.lines.join('\n')]).toEqual([
    'failed',
    expect.stringContaining(
      'shop has the volume uploads on its host: svc apps move shop --undo, then --data',
    ),
  ])
  expect((await deploy(1, 1, { move: { data: true } })).state).toBe('succeeded')
  await endAll(bench)
}, 120_000)

test('A Node application is built, runs, survives the job and its agent, fails without harm, rolls back, stops and goes', async () => {
  await using bench = await AgentBench.open()
  const definition = (build: string) =>
    JSON.stringify({
      version: 1,
      build: { command: build },
      stop: { grace_s: 2 },
      release: 'echo released $GREETING',
    })
  const { path, shas } = repository(
    bench,
    { 'package.json': MANIFEST, 'server.js': SERVER },
    { 'svc.json': definition('echo building; exit 5') },
    { 'svc.json': definition('echo building $GREETING.; echo x >> builds') },
    { 'svc.json': definition('true'), 'server.js': 'console.log("last words")' },
  )
  const deploy = (index: number, more: object = {}) =>
    run(
      bench,
      'deploy',
      { app: 'shop', source: gitSource(path, shas[index]), env: { GREETING: "it's" }, ...more },
      PROGRAM,
    )
  const first = await deploy(0)
  expect([first.state, first.lines]).toEqual([
    'succeeded',
    expect.arrayContaining([
      'found package.json: node, by its script start',
      expect.stringMatching(/^web\.1 \(port \d+\) healthy after \d\.\d s$/),
      expect.stringMatching(/^shop answers at http:\/\/shop\.localhost:\d+$/),
      `shop is at ${shas[0]}`,
    ]),
  ])
  expect(await get(bench)).toBe('release 1')
  expect(statSync(join(appsOf(bench), '.runtime', 'control.sock')).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await get(bench, '/env'))).not.toHaveProperty('SVC_WORK_DIR')

  expect(await deploy(1)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining(`shop at ${shas[1]}: the lines above say why`),
  })
  expect(await get(bench)).toBe('release 1')

  const third = await deploy(2)
  expect(third.lines).toEqual(
    expect.arrayContaining(['building .', "released it's", 'switched to release 2']),
  )
  expect(await live(bench, 'builds')).toBe('x\n')
  const again = await deploy(2)
  expect(again.lines).toContain(`${shas[2]} runs already with these variables: nothing is built`)

  const fourth = await deploy(3)
  expect(fourth.state).toBe('failed')
  expect(fourth.lines).toContain('  web: last words')
  expect(await get(bench)).toBe('release 2')

  const back = await deploy(0)
  expect(back.lines).toEqual(
    expect.arrayContaining([`${shas[0]} is here, built: using its release as it stands`, 'built already']),
  )
  expect(await get(bench)).toBe('release 3')
  expect(readFileSync(join(appsOf(bench), '.runtime', 'apps.json'), 'utf8')).toContain(shas[0])

  const pids = (await statusIn(bench))?.processes.map(({ pid = 0 }) => pid) ?? []
  expect((await run(bench, 'stop', { app: 'shop' }, PROGRAM)).lines).toContain(
    'stopped the processes of shop',
  )
  for (const pid of pids) expect(await isAlive(pid)).toBe(false)
  expect(await get(bench)).toBe('The application takes no visitors at the moment.\n')
  expect((await deploy(0)).state).toBe('succeeded')
  expect(await get(bench)).toBe('release 4')
  const restarted = await deploy(0, { restart: true })
  expect(restarted.lines).toEqual(expect.arrayContaining(['built already', 'switched to release 5']))
  expect(await get(bench)).toBe('release 5')
  expect((await run(bench, 'remove', { app: 'shop' }, PROGRAM)).state).toBe('succeeded')
  expect(existsSync(appDir(bench))).toBe(false)
  expect(await processesOf(bench)).toEqual([await supervisorOf(bench)])
  await endAll(bench)
})

test('A supervisor that is killed leaves no instance without an owner; the next deploy brings all back', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(bench, { 'package.json': MANIFEST, 'server.js': SERVER }, { page: 'two' })
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) }, PROGRAM)
  process.kill(await supervisorOf(bench), 'SIGKILL')
  await eventually(async () => (await processesOf(bench)).length === 0)
  const job = await run(bench, 'deploy', { app: 'other', source: gitSource(path, shas[1]) }, PROGRAM)
  expect(job.state).toBe('succeeded')
  await eventually(async () => (await get(bench)) === 'release 1')
  await order(appsOf(bench), { path: '/remove', body: { app: 'other' } })
  await endAll(bench)
  // The command of the agent starts the supervisor, and leaves one that runs alone.
  const key = join(bench.folder, 'key')
  writeFileSync(key, bench.plane.licenseKey)
  const words = ['run', '--url', bench.plane.url, '--key-file', key, '--state-dir', bench.stateDir, '--once']
  for (let time = 0; time < 2; time += 1) await promisify(execFile)(process.execPath, [oneFile, ...words])
  await eventually(async () => (await get(bench).catch(() => '')) === 'release 1')
  await endAll(bench)
})

test('An application from before stays files, and says how that changes', async () => {
  await using bench = await AgentBench.open()
  const { path, shas } = repository(
    bench,
    { 'index.html': 'old' },
    { 'package.json': MANIFEST, Dockerfile: '' },
  )
  await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[0]) })
  expect(existsSync(join(appDir(bench), '.fresh'))).toBe(true)
  // A host that could not run applications left no such mark.
  rmSync(join(appDir(bench), '.fresh'))
  const job = await run(bench, 'deploy', { app: 'shop', source: gitSource(path, shas[1]) }, PROGRAM)
  expect(job.lines).toEqual(
    expect.arrayContaining([
      'add svc.json, or remove the app and deploy it again, to have it run',
      'no deploy.sh: the files are the deployment',
    ]),
  )
  expect(await processesOf(bench)).toEqual([])
  const fresh = await run(bench, 'deploy', { app: 'new', source: gitSource(path, shas[1]) }, PROGRAM)
  expect(fresh.lines.join('\n')).toContain('containers run on a server alone: svc agent install --apps')
  expect(fresh.state).toBe('failed')
})
