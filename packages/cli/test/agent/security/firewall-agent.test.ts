import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { readSecuritySettings, settingsDigest } from '@svc/core/adapters'
import { FakeClock } from '@svc/testing'
import { type Mounted, mounted } from '../../../../../test/support/mounted.ts'
import { eventually } from '../agent-bench.ts'
import { ADDRESS, inNamespaces, NetnsRig, type Peer, PLANE, skipped } from './netns-rig.ts'

const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const FINGERPRINT = 'host-of-the-rig-0123456789abcdef'
const QUICK = { pollMs: 50, heartbeatMs: 200, heartbeatFloorMs: 200, renewMs: 200, logIntervalMs: 50 }
const BY = { updatedBy: 'cli:ann@desk', rollbackSeconds: 30 }

/** The way from the namespaces to the plane of this process, which can be shut for new connections. */
class Bridge {
  readonly path: string
  /** How long every answer of the plane is on its way, in milliseconds. */
  delayMs = 0
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined

  constructor(path: string, port: number) {
    this.path = path
    this.#port = port
  }

  async open(): Promise<void> {
    this.#server = createServer((socket) => {
      const onward = connect(this.#port, '127.0.0.1')
      for (const [one, other] of [
        [socket, onward],
        [onward, socket],
      ] as const) {
        this.#sockets.add(one)
        one.on('error', () => {}).on('close', () => other.destroy())
      }
      socket.pipe(onward)
      onward.on('data', async (data) => {
        if (this.delayMs > 0) await pause(this.delayMs)
        socket.write(data)
      })
      onward.on('end', () => socket.end())
    }).listen(this.path)
    await once(this.#server, 'listening')
  }

  /** Connections that are there stay. */
  shut(): void {
    this.#server?.close()
    rmSync(this.path, { force: true })
  }

  cut(): void {
    this.shut()
    for (const socket of this.#sockets) socket.destroy()
  }
}

let rig: NetnsRig
let client: Peer
let served: Mounted
let bridge: Bridge
let folder: string
let agent: ChildProcess | undefined

const host = () => ({ licenseId: served.licenseId, fingerprint: FINGERPRINT })
const shown = () => served.plane.nodeSecurity.show(host())
const opening = (...ports: string[]) =>
  readSecuritySettings({ firewall: { enabled: true, allow: [{ ports, proto: 'tcp' }] } })
const jobOf = async (id: string | undefined) => served.plane.jobs.get(PLATFORM, id ?? '')
const isOver = async (id: string | undefined) => (await jobOf(id)).finishedAt !== undefined

const isRunning = () => agent !== undefined && agent.exitCode === null && agent.signalCode === null

function startAgent(): void {
  if (isRunning()) throw new Error('the host has an agent already: two would take turns with the rules')
  const timing = { ...QUICK, retryFloorMs: 20, retryCeilingMs: 100, tendMs: 200 }
  const places = { stateDir: join(folder, 'state'), handlersDir: join(folder, 'handlers') }
  const options = {
    ...{ url: PLANE, licenseKey: served.key, fingerprint: FINGERPRINT, hostname: 'web-1', version: '1' },
    ...places,
    timing,
    firewall: { root: join(folder, 'root') },
  }
  const program = join(import.meta.dirname, '../agent-process.ts')
  agent = rig.start(process.execPath, [...FLAGS, program, JSON.stringify(options)])
}
async function killAgent(): Promise<void> {
  if (agent === undefined || !isRunning()) return
  const ended = once(agent, 'exit')
  agent.kill('SIGKILL')
  await ended
}
/** Starts an agent and waits until the plane knows its kinds. */
async function attached(): Promise<void> {
  startAgent()
  await eventually(async () => {
    const agents = await served.plane.agents.list(ofLicense(served.licenseId))
    return agents.some(({ kinds }) => kinds?.includes('firewall'))
  })
}

beforeAll(async () => {
  if (skipped !== '') return
  rig = NetnsRig.open()
  client = await rig.peer('c')
  const server = await rig.peer('h')
  for (const port of [22, 7000, 7001]) await server.listen(port)
  folder = mkdtempSync(join(tmpdir(), 'svc-firewall-'))
  await client.listen(8080, join(folder, 'plane'))
})
afterAll(async () => {
  if (skipped !== '') return
  await rig[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  if (skipped !== '') return
  mkdirSync(join(folder, 'handlers'), { recursive: true })
  // The agent compares the ends of its tokens with the real time.
  served = await mounted(undefined, { clock: new FakeClock(new Date()) })
  bridge = new Bridge(join(folder, 'plane'), served.port)
  await bridge.open()
})
afterEach(async () => {
  if (skipped !== '') return
  await killAgent()
  bridge.cut()
  await served[Symbol.asyncDispose]()
  for (const name of ['state', 'root']) rmSync(join(folder, name), { recursive: true, force: true })
  rig.run('sh', '-c', 'nft delete table inet svc_fw 2>/dev/null || true')
})

inNamespaces(
  `The shipped agent applies a document, confirms it, and says so; a document by hand it refuses${skipped}`,
  async () => {
    await attached()
    // A plane is far away, and takes its time.
    bridge.delayMs = 300
    const set = await served.plane.nodeSecurity.set(host(), opening('22', '7000'), BY)
    await eventually(() => isOver(set.jobId))
    expect(await jobOf(set.jobId)).toMatchObject({ state: 'succeeded', error: undefined })
    expect(await shown()).toMatchObject({ applied: { state: 'applied', revision: 1 } })
    expect(await client.reaches(ADDRESS.v4, 7000)).toBe(true)
    expect(await client.reaches(ADDRESS.v4, 7001)).toBe('dropped')
    expect(statSync(join(folder, 'state/security/security.json')).mode & 0o777).toBe(0o600)
    const rules = rig.rules()
    const settings = opening('22', '7001')
    const payload = { revision: 1, sha256: settingsDigest(settings), settings }
    for (const [given, why] of [
      [payload, 'refused: the newest document is revision 1'],
      [{ revision: 9, settings: { allow: [22] } }, 'refused: this job carries no document'],
    ] as const) {
      const input = {
        licenseId: served.licenseId,
        kind: 'firewall',
        payload: given,
        target: FINGERPRINT,
      } as const
      const { job } = await served.plane.jobs.enqueue(input)
      await eventually(() => isOver(job.id))
      expect((await jobOf(job.id)).error).toContain(why)
    }
    expect(rig.rules()).toBe(rules)
  },
  60_000,
)

inNamespaces(
  `An agent that is killed before the confirmation undoes its attempt when it starts again, and the plane is told${skipped}`,
  async () => {
    await attached()
    const first = await served.plane.nodeSecurity.set(host(), opening('22', '7000'), BY)
    await eventually(() => isOver(first.jobId))
    const rules = rig.rules()
    // The confirmation needs a new connection; the job comes over an existing one.
    bridge.shut()
    const second = await served.plane.nodeSecurity.set(host(), opening('22', '7001'), BY)
    await eventually(() => rig.rules().includes('7001'))
    await killAgent()
    await bridge.open()
    startAgent()
    await eventually(() => isOver(second.jobId))
    expect(await jobOf(second.jobId)).toMatchObject({
      state: 'failed',
      error: 'rolled back: the agent ended before it could confirm',
    })
    expect(rig.rules()).toBe(rules)
    expect((await served.get(`/api/v1/node/security?fingerprint=${FINGERPRINT}`)).body).toMatchObject({
      desired: { revision: 2 },
      applied: { state: 'rolled_back', revision: 1 },
      drift: true,
    })
    // It does not come back by itself; on demand it does.
    const again = await served.plane.nodeSecurity.reapply(host(), BY)
    await eventually(() => isOver(again.jobId))
    expect(await shown()).toMatchObject({ applied: { state: 'applied', revision: 2 } })
  },
  60_000,
)

inNamespaces(
  `An agent that starts while the plane is away applies the document that it keeps${skipped}`,
  async () => {
    await attached()
    const set = await served.plane.nodeSecurity.set(host(), opening('22', '7000'), BY)
    await eventually(() => isOver(set.jobId))
    const rules = rig.rules()
    await killAgent()
    bridge.cut()
    rig.run('nft', 'flush', 'ruleset')
    startAgent()
    // A listing of nft during a change may have the table without its chains.
    await eventually(() => rig.rules() === rules)
    expect(await client.reaches(ADDRESS.v4, 7001)).toBe('dropped')
  },
  60_000,
)

inNamespaces(
  `An agent that has lost its folder gets from the plane what was applied before${skipped}`,
  async () => {
    await attached()
    const set = await served.plane.nodeSecurity.set(host(), opening('22', '7000'), BY)
    await eventually(() => isOver(set.jobId))
    const rules = rig.rules()
    await killAgent()
    rmSync(join(folder, 'state'), { recursive: true })
    rig.run('nft', 'flush', 'ruleset')
    startAgent()
    await eventually(() => existsSync(join(folder, 'state/security/security.json')))
    expect(rig.rules()).toBe(rules)
    execFileSync('test', ['-s', join(folder, 'state/security/security.json')])
  },
  60_000,
)
