// A peer with a good key that wants more than its release: its frames go to the shipped ends unchanged.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { silentLog } from '@svc/core'
import { buildHeartbeat, FakeClock } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { AGENT_TIMING } from '../../src/agent/agent-options.ts'
import { moveRelease } from '../../src/agent/transfer/dialler.ts'
import { TransferListener } from '../../src/agent/transfer/listener.ts'
import { PeerClient } from '../../src/agent/transfer/peer-client.ts'
import { tlsIdentity } from '../../src/agent/transfer/self-signed.ts'
import { AgentApi } from '../../src/agent/wire/agent-api.ts'
import { HttpClient } from '../../src/connect/http-client.ts'

const MINE = 'ssh-ed25519 AAAA mallory\n'
const THEIRS = 'ssh-ed25519 AAAA ann\n'
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const folder = (path: string) => ({ path, type: 'folder', mode: 0o755 })
const link = (path: string, to: string) => ({ path, type: 'link', to })
const file = (path: string, text: string, size = text.length) => ({
  ...{ path, type: 'file', mode: 0o755 },
  ...{ size, sha256: digest(text) },
})
/** A file that never comes: with it a release does not end well. */
const NEVER = file('z', 'never')

/** Manifests that a peer sends one after the other, and whether the last may arrive. */
type Scene = readonly [what: string, manifests: readonly (readonly object[])[], arrives: boolean]

const UP = ['a', 'a/b', 'a/b/c', 'a/b/c/d', 'a/b/c/d/e'].map(folder)
const AWAY = [...UP, link('a/b/c/d/e/l', '../../../../..'), link('esc', 'a/b/c/d/e/l/../../../../outside')]
const PLANT = file('esc/authorized_keys', MINE)
const SCENES: readonly Scene[] = [
  ['a link over another one, left behind, and a file below it', [[...AWAY, NEVER], [PLANT]], false],
  [
    'the same with a folder of its name',
    [
      [...AWAY, NEVER],
      [folder('esc'), PLANT],
    ],
    true,
  ],
  ['a link that leads out in a release that ends well', [[...AWAY, file('a/x', MINE)]], false],
  ['a link up past the root', [[link('esc', '../../../../../outside'), NEVER], [PLANT]], false],
  [
    'a link inside, and a file below it in the same manifest',
    [[folder('a'), link('esc', 'a'), PLANT]],
    false,
  ],
  [
    'a link inside, left behind, then a folder in its place',
    [
      [folder('a'), link('esc', 'a'), NEVER],
      [folder('esc'), PLANT],
    ],
    true,
  ],
  [
    'links that lead over those of an earlier manifest',
    [
      [...UP, link('a/b/c/d/e/l', '../../../../..'), NEVER],
      [...UP, link('esc', 'a/b/c/d/e/l/../../../../outside'), PLANT],
    ],
    false,
  ],
]

let served: Mounted
let http: HttpClient
let place: string

beforeAll(async () => {
  served = await mounted(undefined, { clock: new FakeClock(new Date()) })
  http = new HttpClient({ url: `http://127.0.0.1:${served.port}` }, { timeoutMs: 5000 })
  for (const host of ['web-1', 'web-2']) {
    const beat = buildHeartbeat({ licenseId: served.licenseId, fingerprint: `fp-${host}`, hostname: host })
    await served.plane.agents.heartbeat({ ...beat, jobs: [] })
  }
})
afterAll(async () => {
  http[Symbol.dispose]()
  await served[Symbol.asyncDispose]()
})
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'svc-hostile-'))
  mkdirSync(join(place, 'apps'))
  mkdirSync(join(place, 'outside'))
  writeFileSync(join(place, 'outside/authorized_keys'), THEIRS, { mode: 0o600 })
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const side = () => ({
  api: new AgentApi(http, { licenseKey: served.key, fingerprint: 'fp-web-2' }, AGENT_TIMING, served.clock),
  clock: served.clock,
  fingerprint: 'fp-web-2',
  appsDir: join(place, 'apps'),
})

async function keyFor(mode: 'pull' | 'drop', uses: number) {
  const { pin } = await tlsIdentity(place)
  const input = { from: 'web-1', to: 'web-2', scope: { app: 'shop' }, pin, mode, max_uses: uses }
  const { secret } = await served.plane.operations.run('transfer.mint', input, 'ann')
  return { secret: String(secret), pin }
}

/** Returns the paths beneath a folder; a link is named, and not followed. */
function beneath(path: string): string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => [
    `${entry.name}${entry.isSymbolicLink() ? ' (link)' : ''}`,
    ...(entry.isDirectory() ? beneath(join(path, entry.name)).map((each) => `${entry.name}/${each}`) : []),
  ])
}

function expectUntouched(arrives: boolean) {
  expect(readdirSync(join(place, 'outside'))).toEqual(['authorized_keys'])
  expect(readFileSync(join(place, 'outside/authorized_keys'), 'utf8')).toBe(THEIRS)
  expect(statSync(join(place, 'outside/authorized_keys')).mode & 0o777).toBe(0o600)
  expect(readdirSync(place).sort()).toEqual(['apps', 'outside', 'transfer-key.pem'])
  const all = beneath(join(place, 'apps'))
  expect(all.filter((path) => path.endsWith(' (link)'))).toEqual([])
  expect(all.filter((path) => path.includes('/r1/esc/'))).toEqual(
    arrives ? ['shop/releases/r1/esc/authorized_keys'] : [],
  )
}

describe('against the host that listens', () => {
  /** Sends all of it in one session, and waits for refusals. */
  async function bring(peer: PeerClient, entries: readonly object[]) {
    const ask = (...words: Parameters<PeerClient['ask']>) => peer.ask(...words).catch(() => undefined)
    await ask('POST', '/manifest', { app: 'shop', release: 'r1', entries })
    for (const [index, entry] of entries.entries()) {
      // An offset may remove present bytes, a wrong one may append to them.
      const said = await ask('GET', `/offsets/${index}`)
      expect(said?.offset ?? 0).toBe(0)
      for (const offset of [0, THEIRS.length])
        if ('sha256' in entry && entry !== NEVER)
          await peer.upload(`/files/${index}?offset=${offset}`, [Buffer.from(MINE)] as never).catch(() => {})
    }
    await ask('POST', '/done')
  }

  test.each(SCENES)('%s: in one session, and in two', async (_, manifests, arrives) => {
    const { secret, pin } = await keyFor('drop', 2)
    const parts = { side: side(), identity: await tlsIdentity(place), log: silentLog, onMoved: () => {} }
    await using listener = await TransferListener.start(parts, '127.0.0.1', 0)
    const address = { host: '127.0.0.1', port: listener.port }
    using first = new PeerClient(address, pin)
    using second = new PeerClient(address, pin)
    for (const peer of [first, second]) await peer.open({ key: secret, fingerprint: 'fp-web-1', app: 'shop' })
    for (const entries of manifests) await bring(first, entries)
    expectUntouched(arrives)
    for (const [index, entries] of manifests.entries()) await bring(index % 2 ? first : second, entries)
    expectUntouched(arrives)
  })
})

describe('against the host that connects', () => {
  /** A source that gives out requested files without asking the plane, and keeps back the missing ones. */
  async function source(manifests: readonly (readonly object[])[]) {
    const { key, cert } = await tlsIdentity(place)
    let sessions = 0
    const server = createServer({ key, cert }, (request, response) => {
      const url = request.url ?? ''
      if (url === '/session') sessions += 1
      const entries = manifests[sessions - 1] ?? []
      const at = Number(/^\/files\/(\d+)/.exec(url)?.[1])
      if (entries[at] === NEVER) response.destroy()
      else if (url.startsWith('/files/')) response.end(MINE.slice(Number(url.split('offset=')[1])))
      else if (url === '/manifest') response.end(JSON.stringify({ app: 'shop', release: 'r1', entries }))
      else response.end(JSON.stringify({ session: 's', fingerprint: 'fp-web-1' }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return {
      port,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }

  test.each(SCENES)('%s: each in a session of its own', async (_, manifests, arrives) => {
    const { secret } = await keyFor('pull', 2)
    await using hostile = await source(manifests)
    for (const _manifest of manifests)
      await moveRelease({
        ...{ side: side(), log: silentLog, address: { host: '127.0.0.1', port: hostile.port } },
        ...{ key: secret, app: undefined, signal: AbortSignal.timeout(20_000), retryFloorMs: 1 },
      }).catch(() => undefined)
    expectUntouched(arrives)
  })
})
