import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Log } from '@svc/core'
import { buildHeartbeat, FakeClock } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { slowWay } from '../../../../test/support/slow-way.ts'
import '../../../../test/support/standard-input.ts'
import { PLATFORM } from '@svc/core'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { AGENT_TIMING } from '../../src/agent/agent-options.ts'
import { moveRelease } from '../../src/agent/transfer/dialler.ts'
import { TransferListener } from '../../src/agent/transfer/listener.ts'
import { PeerClient } from '../../src/agent/transfer/peer-client.ts'
import { tlsIdentity } from '../../src/agent/transfer/self-signed.ts'
import { AgentApi } from '../../src/agent/wire/agent-api.ts'
import { runProgram } from '../../src/commands/program.ts'
import { HttpClient } from '../../src/connect/http-client.ts'

const BIG = Buffer.alloc(3 * 1024 * 1024, 'a release ')
const SHA = 'a'.repeat(40)

let served: Mounted
let folder: string
let http: HttpClient
const logged: string[] = []
const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
const log: Log = { debug: note, info: note, warn: note, error: note }

beforeAll(async () => {
  served = await mounted(undefined, { clock: new FakeClock(new Date()) })
  http = new HttpClient({ url: `http://127.0.0.1:${served.port}` }, { timeoutMs: 5000 })
  const { licenseId } = served
  for (const host of ['web-1', 'web-2', 'web-3']) {
    const beat = buildHeartbeat({ licenseId, fingerprint: `fp-${host}`, hostname: host })
    await served.plane.agents.heartbeat({ ...beat, jobs: [] })
  }
})
afterAll(async () => {
  http[Symbol.dispose]()
  await served[Symbol.asyncDispose]()
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-transfer-'))
  const release = join(folder, 'web-1/apps/shop/releases', SHA)
  mkdirSync(join(release, 'lib/deep'), { recursive: true })
  mkdirSync(join(folder, 'web-2/apps'), { recursive: true })
  mkdirSync(join(folder, 'web-3'))
  writeFileSync(join(release, 'start.sh'), 'echo hello')
  chmodSync(join(release, 'start.sh'), 0o755)
  writeFileSync(join(release, 'lib/deep/big'), BIG)
  writeFileSync(join(release, 'lib/empty'), '')
  symlinkSync('deep/big', join(release, 'lib/link'))
  symlinkSync('lib', join(release, 'folder-link'))
  symlinkSync(`releases/${SHA}`, join(folder, 'web-1/apps/shop/current'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const stateOf = (host: string) => join(folder, host)
const sideOf = (host: string, client = http) => ({
  api: new AgentApi(
    client,
    { licenseKey: served.key, fingerprint: `fp-${host}` },
    AGENT_TIMING,
    served.clock,
  ),
  clock: served.clock,
  fingerprint: `fp-${host}`,
  appsDir: join(stateOf(host), 'apps'),
  patienceMs: 1500,
})
const released = (host = 'web-2') => join(stateOf(host), 'apps/shop/releases', SHA)

async function keyFor(fields: object = {}) {
  const { pin } = await tlsIdentity(
    stateOf((fields as { mode?: string }).mode === 'drop' ? 'web-2' : 'web-1'),
  )
  const input = { from: 'web-1', to: 'web-2', scope: { app: 'shop' }, pin, ...fields }
  const { secret, key } = await served.plane.operations.run('transfer.mint', input, 'ann')
  return { secret: String(secret), id: (key as { id: string }).id }
}
const usesOf = async (id: string) => (await served.plane.transferKeys.get(PLATFORM, id)).uses

const listening = async (host: string, client?: HttpClient) =>
  TransferListener.start(
    { side: sideOf(host, client), identity: await tlsIdentity(stateOf(host)), log, onMoved: () => {} },
    '127.0.0.1',
    0,
  )
const move = (host: string, port: number, key: string, app?: string) =>
  moveRelease({
    side: sideOf(host),
    log,
    address: { host: '127.0.0.1', port },
    key,
    app,
    signal: AbortSignal.timeout(30_000),
    retryFloorMs: 1,
  })

/** Asks for something without a session. */
async function peerless(port: number) {
  const { pin } = await tlsIdentity(stateOf('web-2'))
  using peer = new PeerClient({ host: '127.0.0.1', port }, pin)
  await expect(peer.ask('GET', '/manifest')).rejects.toMatchObject({ status: 401 })
}

/** A way that cuts each of its first connections after so many bytes. */
const cutting = (port: number, connections: number, afterBytes: number) =>
  slowWay(port, { cuts: { connections, afterBytes } })

function expectRelease(host = 'web-2') {
  const at = released(host)
  // Not by readdir, which may follow links to folders.
  const found = execFileSync('find', [at, '-mindepth', '1', '-printf', '%P\n'], {
    encoding: 'utf8',
    stdio: 'pipe',
  })
  expect(found.trim().split('\n').sort()).toEqual([
    'folder-link',
    'lib',
    'lib/deep',
    'lib/deep/big',
    'lib/empty',
    'lib/link',
    'start.sh',
  ])
  expect(readFileSync(join(at, 'lib/deep/big')).equals(BIG)).toBe(true)
  expect(statSync(join(at, 'start.sh')).mode & 0o777).toBe(0o755)
  expect(statSync(join(at, 'lib/empty')).size).toBe(0)
  expect(readlinkSync(join(at, 'lib/link'))).toBe('deep/big')
  expect(lstatSync(join(at, 'folder-link')).isSymbolicLink()).toBe(true)
}

describe('a release that is moved', () => {
  test('in a pull the target fetches it from the source, whole, for one use of the key', async () => {
    const { secret, id } = await keyFor()
    await using listener = await listening('web-1')
    const moved = { app: 'shop', release: SHA, files: 3, bytes: BIG.length + 10 }
    expect(await move('web-2', listener.port, secret)).toEqual(moved)
    expectRelease()
    expect(readdirSync(join(stateOf('web-2'), 'apps/shop/releases'))).toEqual([SHA])
    expect(await usesOf(id)).toBe(1)
    await expect(move('web-2', listener.port, secret)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'the peer refused: transfer key used up',
    })
    expect(logged.join('\n')).toContain(id)
    expect(logged.join('\n')).not.toContain(secret.slice(8, 40))
  })

  test('in a drop the source brings it to the target', async () => {
    const { secret, id } = await keyFor({ mode: 'drop' })
    await using listener = await listening('web-2')
    expect(await move('web-1', listener.port, secret)).toMatchObject({ release: SHA, files: 3 })
    expectRelease()
    expect(await usesOf(id)).toBe(1)
  })

  test.each(['pull', 'drop'])(
    'a %s that breaks off goes on where it stopped, in the same session',
    async (mode) => {
      const { secret, id } = await keyFor({ mode })
      const [listens, connects] = mode === 'pull' ? ['web-1', 'web-2'] : ['web-2', 'web-1']
      await using listener = await listening(listens)
      await using proxy = await cutting(listener.port, 2, 1_000_000)
      await move(connects, proxy.port, secret)
      expectRelease()
      expect(proxy.counts.connections).toBeGreaterThanOrEqual(3)
      expect(await usesOf(id)).toBe(1)
    },
  )

  test('a new session takes up what an earlier one left', async () => {
    const { secret, id } = await keyFor({ max_uses: 2 })
    await using listener = await listening('web-1')
    await using broken = await cutting(listener.port, 99, 400_000)
    await expect(move('web-2', broken.port, secret)).rejects.toMatchObject({ code: 'unavailable' })
    expect(existsSync(released())).toBe(false)
    await using proxy = await cutting(listener.port, 0, 0)
    await move('web-2', proxy.port, secret)
    expectRelease()
    expect(proxy.counts.bytes).toBeLessThan(BIG.length - 500_000)
    expect(await usesOf(id)).toBe(2)
  })

  test('a file that takes longer than a session may be idle is still in its session', async () => {
    const { secret } = await keyFor({ mode: 'drop' })
    const clock = new FakeClock(served.clock.now())
    const side = { ...sideOf('web-2'), clock }
    const identity = await tlsIdentity(stateOf('web-2'))
    await using listener = await TransferListener.start(
      { side, identity, log, onMoved: () => {} },
      '127.0.0.1',
      0,
    )
    using peer = new PeerClient({ host: '127.0.0.1', port: listener.port }, identity.pin)
    await peer.open({ key: secret, fingerprint: 'fp-web-1', app: 'shop' })
    const sha256 = createHash('sha256').update('slow').digest('hex')
    const entries = [{ path: 'a', type: 'file', mode: 0o644, size: 4, sha256 }]
    await peer.ask('POST', '/manifest', { app: 'shop', release: SHA, entries })
    const part = join(stateOf('web-2'), 'apps/shop/releases', `.incoming-transfer-${SHA}`, `${sha256}-4`)
    const slowly = async function* () {
      for (const [sent, text] of ['s', 'l', 'ow'].entries()) {
        yield Buffer.from(text)
        if (sent === 2) return
        while (!existsSync(part) || statSync(part).size <= sent) await new Promise(setImmediate)
        clock.advance({ minutes: 11 })
        // Another request comes meanwhile, which is when idle sessions are forgotten.
        await peerless(listener.port)
      }
    }
    await peer.upload('/files/0?offset=0', slowly())
    await peer.ask('POST', '/done')
    expect(readFileSync(join(released(), 'a'), 'utf8')).toBe('slow')
    clock.advance({ minutes: 11 })
    await expect(peer.ask('POST', '/done')).rejects.toMatchObject({ status: 401 })
  })

  test('a part that was changed meanwhile is sent again', async () => {
    const incoming = join(stateOf('web-2'), `apps/shop/releases/.incoming-transfer-${SHA}`)
    mkdirSync(incoming, { recursive: true })
    const digest = createHash('sha256').update(BIG).digest('hex')
    writeFileSync(join(incoming, `${digest}-${BIG.length}`), Buffer.alloc(1000, 'x'))
    const { secret } = await keyFor()
    await using listener = await listening('web-1')
    await move('web-2', listener.port, secret)
    expectRelease()
  })

  test('a release that is there already is left as it is', async () => {
    mkdirSync(released(), { recursive: true })
    writeFileSync(join(released(), 'own'), '')
    for (const mode of ['pull', 'drop']) {
      const { secret } = await keyFor({ mode })
      const [listens, connects] = mode === 'pull' ? ['web-1', 'web-2'] : ['web-2', 'web-1']
      await using listener = await listening(listens)
      expect(await move(connects, listener.port, secret)).toMatchObject({ release: SHA })
    }
    expect(readdirSync(released())).toEqual(['own'])
    expect(readdirSync(join(stateOf('web-2'), 'apps/shop/releases'))).toEqual([SHA])
  })

  test('the key bounds what is moved: the paths, the bytes, the application', async () => {
    await using listener = await listening('web-1')
    const some = await keyFor({ scope: { app: 'shop', paths: ['lib/empty', 'start.sh'] } })
    expect(await move('web-2', listener.port, some.secret)).toMatchObject({ files: 2, bytes: 10 })
    const few = await keyFor({ scope: { app: 'shop', max_bytes: 100 } })
    await expect(move('web-2', listener.port, few.secret)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('more than the key is good for'),
    })
    await expect(move('web-2', listener.port, few.secret, 'blog')).rejects.toMatchObject({
      code: 'forbidden',
    })
    const none = await keyFor({ scope: {} })
    await expect(move('web-2', listener.port, none.secret)).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(move('web-2', listener.port, none.secret, 'blog')).rejects.toMatchObject({
      code: 'not-found',
    })
    expect([await usesOf(few.id), await usesOf(none.id)]).toEqual([0, 0])
  })
})

describe('a peer that should not get anything', () => {
  test('with another TLS key than the pinned one hears nothing, not even the key', async () => {
    const { pin } = await tlsIdentity(stateOf('web-2'))
    const { secret, id } = await keyFor({ pin })
    await using listener = await listening('web-1')
    await expect(move('web-2', listener.port, secret)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'the peer is not the host that the transfer key names',
    })
    expect(await usesOf(id)).toBe(0)
  })

  test('a key without the pin of a TLS key is not used by this agent', async () => {
    const { secret } = await keyFor({ pin: '4711' })
    await using listener = await listening('web-1')
    await expect(move('web-2', listener.port, secret)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('a third host is refused, on either end, before the plane is asked', async () => {
    const { secret, id } = await keyFor()
    await using listener = await listening('web-1')
    await expect(move('web-3', listener.port, secret)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(move('web-1', listener.port, secret)).rejects.toMatchObject({ code: 'forbidden' })
    await using other = await listening('web-3')
    const { pin } = await tlsIdentity(stateOf('web-3'))
    const pinned = await keyFor({ pin })
    await expect(move('web-2', other.port, pinned.secret)).rejects.toMatchObject({
      message: expect.stringContaining('for another host'),
    })
    expect([await usesOf(id), await usesOf(pinned.id)]).toEqual([0, 0])
  })

  test('a key that was revoked, or that nobody signed, moves nothing', async () => {
    const { secret, id } = await keyFor()
    await using listener = await listening('web-1')
    const forged = `${secret.slice(0, -4)}AAAA`
    await expect(move('web-2', listener.port, forged)).rejects.toMatchObject({
      message: expect.stringContaining('does not verify'),
    })
    await served.plane.transferKeys.revoke(PLATFORM, id)
    await expect(move('web-2', listener.port, secret)).rejects.toMatchObject({
      message: 'the peer refused: transfer key revoked',
    })
    expect(readdirSync(join(stateOf('web-2'), 'apps'))).toEqual([])
  })

  test('without the plane there is no session: nothing is counted here', async () => {
    const { secret } = await keyFor()
    using away = new HttpClient({ url: 'http://127.0.0.1:9' }, { timeoutMs: 1000 })
    await using listener = await listening('web-1', away)
    await expect(move('web-2', listener.port, secret)).rejects.toMatchObject({ code: 'unavailable' })
    expect(readdirSync(join(stateOf('web-2'), 'apps'))).toEqual([])
  })
})

test('a plane that publishes its keys, but does not count, opens no session', async () => {
  const { body } = await served.get('/.well-known/jwks.json')
  const keysAlone = createHttpServer(({ method }, response) => {
    response.writeHead(method === 'GET' ? 200 : 503).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => keysAlone.listen(0, '127.0.0.1', resolve))
  const { port } = keysAlone.address() as { port: number }
  const { secret } = await keyFor()
  using half = new HttpClient({ url: `http://127.0.0.1:${port}` }, { timeoutMs: 1000 })
  await using listener = await listening('web-1', half)
  await expect(move('web-2', listener.port, secret)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the peer refused: the control plane does not answer',
  })
  expect(readdirSync(join(stateOf('web-2'), 'apps'))).toEqual([])
  keysAlone.closeAllConnections()
  await new Promise((resolve) => keysAlone.close(resolve))
})

test('the TLS key is made once, and is its user’s alone', async () => {
  const first = await tlsIdentity(stateOf('web-1'))
  expect(first.pin).toMatch(/^sha256\/[A-Za-z0-9+/]{43}=$/)
  expect((await tlsIdentity(stateOf('web-1'))).pin).toBe(first.pin)
  expect(statSync(join(stateOf('web-1'), 'transfer-key.pem')).mode & 0o777).toBe(0o600)
})

test('the commands of both hosts move a release, and show the key nowhere', async () => {
  const { secret } = await keyFor()
  for (const host of ['web-1', 'web-2'])
    writeFileSync(join(stateOf(host), 'agent.json'), JSON.stringify({ fingerprint: `fp-${host}` }))
  const env = { SERVICE_URL: `http://127.0.0.1:${served.port}`, SERVICE_LICENSE_KEY: served.key }
  const run = (host: string, words: string[], more: object = {}) => {
    const io = new RecordingIo({
      args: ['agent', 'transfer', ...words, '--state-dir', stateOf(host)],
      env: { ...env, ...more },
    })
    return { io, ended: runProgram(io, { clock: served.clock }) }
  }
  const { io: pin, ended } = run('web-1', ['pin'])
  await ended
  expect(pin.out.text).toContain((await tlsIdentity(stateOf('web-1'))).pin)
  const listen = run('web-1', ['listen'])
  await listen.io.err.until('with the TLS key')
  const [, port] = /127\.0\.0\.1:(\d+)/.exec(listen.io.err.text) ?? []
  const moving = run('web-2', ['run', `127.0.0.1:${port}`], { SVC_TRANSFER_KEY: secret })
  await moving.ended
  expect(moving.io.err.text).not.toContain('svc: ')
  await listen.ended
  expect(moving.io.out.text).toContain(SHA)
  expectRelease()
  for (const { io } of [listen, moving])
    expect(`${io.out.text}${io.err.text}`).not.toContain(secret.slice(8, 40))
})
