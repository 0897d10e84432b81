// Transfers between hosts that are far from their plane and from each other, and whose peer reads slowly.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { PLATFORM, silentLog } from '@svc/core'
import { buildHeartbeat, FakeClock, whatIsLeft } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { type SlowWay, type SlowWayOptions, slowWay } from '../../../../test/support/slow-way.ts'
import { AGENT_TIMING } from '../../src/agent/agent-options.ts'
import { moveRelease } from '../../src/agent/transfer/dialler.ts'
import { TransferListener } from '../../src/agent/transfer/listener.ts'
import { PeerClient } from '../../src/agent/transfer/peer-client.ts'
import { tlsIdentity } from '../../src/agent/transfer/self-signed.ts'
import { AgentApi } from '../../src/agent/wire/agent-api.ts'
import { HttpClient } from '../../src/connect/http-client.ts'

const RELEASE = 'r1'
const MODES = ['pull', 'drop'] as const
type Mode = (typeof MODES)[number]

let served: Mounted
let toPlane: SlowWay

beforeAll(async () => {
  served = await mounted(undefined, { clock: new FakeClock(new Date()) })
  toPlane = await slowWay(served.port, { answerMs: 300 })
  for (const host of ['web-1', 'web-2']) {
    const beat = buildHeartbeat({ licenseId: served.licenseId, fingerprint: `fp-${host}`, hostname: host })
    await served.plane.agents.heartbeat({ ...beat, jobs: [] })
  }
})
afterAll(async () => {
  await toPlane[Symbol.asyncDispose]()
  await served[Symbol.asyncDispose]()
})

/** Two hosts with a folder each, a key for them, and a way between them. */
class Scene implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-slow-transfer-'))
  readonly bytes = randomBytes(512 * 1024)
  readonly clock = new FakeClock(served.clock.now())
  readonly #http = new HttpClient({ url: `http://127.0.0.1:${toPlane.port}` }, { timeoutMs: 20_000 })
  readonly #opened = new AsyncDisposableStack()
  readonly #mode: Mode
  secret = ''
  keyId = ''
  pin = ''
  listener!: TransferListener
  way!: SlowWay

  private constructor(mode: Mode) {
    this.#mode = mode
    const app = join(this.folder, 'web-1/apps/shop')
    mkdirSync(join(app, 'releases', RELEASE), { recursive: true })
    mkdirSync(join(this.folder, 'web-2/apps'), { recursive: true })
    writeFileSync(join(app, 'releases', RELEASE, 'big'), this.bytes)
    chmodSync(join(app, 'releases', RELEASE, 'big'), 0o755)
    symlinkSync(`releases/${RELEASE}`, join(app, 'current'))
  }

  static async open(mode: Mode, way: SlowWayOptions = {}, stalledMs?: number): Promise<Scene> {
    const scene = new Scene(mode)
    const listens = mode === 'pull' ? 'web-1' : 'web-2'
    const identity = await tlsIdentity(join(scene.folder, listens))
    const input = { from: 'web-1', to: 'web-2', scope: { app: 'shop' }, pin: identity.pin, mode }
    const { secret, key } = await served.plane.operations.run('transfer.mint', input, 'ann')
    Object.assign(scene, { secret, keyId: (key as { id: string }).id, pin: identity.pin })
    const stalls = stalledMs === undefined ? {} : { stalledMs }
    const parts = { side: scene.side(listens), identity, log: silentLog, onMoved: () => {}, ...stalls }
    scene.listener = scene.#opened.use(await TransferListener.start(parts, '127.0.0.1', 0))
    scene.way = scene.#opened.use(await slowWay(scene.listener.port, way))
    return scene
  }

  side(host: string) {
    const identity = { licenseKey: served.key, fingerprint: `fp-${host}` }
    const api = new AgentApi(this.#http, identity, AGENT_TIMING, this.clock)
    const appsDir = join(this.folder, host, 'apps')
    return { api, clock: this.clock, fingerprint: `fp-${host}`, appsDir }
  }

  move(stalledMs?: number) {
    return moveRelease({
      side: this.side(this.#mode === 'pull' ? 'web-2' : 'web-1'),
      log: silentLog,
      address: { host: '127.0.0.1', port: this.way.port },
      key: this.secret,
      app: undefined,
      signal: AbortSignal.timeout(28_000),
      retryFloorMs: 1,
      ...(stalledMs === undefined ? {} : { stalledMs }),
    })
  }

  get uses(): Promise<number> {
    return served.plane.transferKeys.get(PLATFORM, this.keyId).then(({ uses }) => uses)
  }

  /** The names in the place of the release. */
  get arrived(): readonly string[] {
    return readdirSync(join(this.folder, 'web-2/apps/shop/releases'))
  }

  /** A whole release, one use, one session, and nothing else on either side. */
  async expectMoved(): Promise<void> {
    expect(this.arrived).toEqual([RELEASE])
    const at = join(this.folder, 'web-2/apps/shop/releases', RELEASE, 'big')
    expect(readFileSync(at).equals(this.bytes)).toBe(true)
    expect(await this.uses).toBe(1)
    expect(this.listener.sessions).toBe(1)
    this.clock.advance({ minutes: 11 })
    expect(this.listener.sessions).toBe(0)
    expect(await whatIsLeft(served, { folders: [this.folder] })).toEqual([])
    while (this.way.counts.open > 0) await new Promise(setImmediate)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
    this.#http[Symbol.dispose]()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const SLOW = { answerMs: 300, sips: { bytes: 65_536, pauseMs: 20 }, askSips: { bytes: 65_536, pauseMs: 20 } }

test.concurrent.each(MODES)(
  'A %s over a slow way brings the whole release, for one use of the key',
  async (mode) => {
    await using scene = await Scene.open(mode, SLOW)
    expect(await scene.move()).toMatchObject({ release: RELEASE, bytes: scene.bytes.length })
    await scene.expectMoved()
  },
)

test.concurrent.each(MODES)(
  'A %s that breaks in the middle of the slow way leaves the same',
  async (mode) => {
    await using scene = await Scene.open(mode, { ...SLOW, cuts: { connections: 1, afterBytes: 400_000 } })
    expect(await scene.move()).toMatchObject({ release: RELEASE, bytes: scene.bytes.length })
    expect(scene.way.counts.connections).toBe(2)
    // Bytes that had come were not sent again.
    expect(scene.way.counts.bytes).toBeLessThan(scene.bytes.length + 260_000)
    await scene.expectMoved()
  },
)

test.concurrent('A file that is read for longer than a session may be idle is still in its session', async () => {
  await using scene = await Scene.open('pull')
  // More than the buffers on its way hold, so that it is not over before it is read.
  const big = Buffer.alloc(24 * 1024 * 1024, 'a release ')
  writeFileSync(join(scene.folder, 'web-1/apps/shop/releases', RELEASE, 'big'), big)
  const address = { host: '127.0.0.1', port: scene.way.port }
  using peer = new PeerClient(address, scene.pin)
  await peer.open({ key: scene.secret, fingerprint: 'fp-web-2', app: 'shop' })
  let size = 0
  let sips = 0
  for await (const chunk of await peer.download('/files/0?offset=0')) {
    size += chunk.length
    sips += 1
    if (sips > 3) continue
    scene.clock.advance({ minutes: 11 })
    expect(scene.listener.sessions).toBe(1)
  }
  expect(size).toBe(big.length)
  await peer.ask('POST', '/done')
  expect(await scene.uses).toBe(1)
  scene.clock.advance({ minutes: 11 })
  await expect(peer.ask('POST', '/done')).rejects.toMatchObject({ status: 401 })
  expect(scene.listener.sessions).toBe(0)
})

test.concurrent('A plane that answers later than a connection may be silent breaks nothing: the listener says that it works', async () => {
  // The listener asks its plane twice, which takes 600 ms and more.
  await using scene = await Scene.open('pull', {}, 500)
  expect(await scene.move(500)).toMatchObject({ release: RELEASE })
  await scene.expectMoved()
})

test.concurrent('A peer that gives up before the key is redeemed costs no use of it', async () => {
  await using scene = await Scene.open('pull')
  const began = performance.now()
  using peer = new PeerClient({ host: '127.0.0.1', port: scene.listener.port }, scene.pin, 100)
  const opening = peer.open({ key: scene.secret, fingerprint: 'fp-web-2', app: 'shop' })
  await expect(opening).rejects.toThrow('the peer stopped answering')
  expect(performance.now() - began).toBeLessThan(10_000)
  await pause(900)
  expect([await scene.uses, scene.listener.sessions]).toEqual([0, 0])
})
