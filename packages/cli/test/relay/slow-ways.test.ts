// A relay whose two sides are far away: 300 ms each way, and an operator who reads slowly.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { WebSocket } from 'ws'
import { counted } from '../../../../test/support/counted.ts'
import { type SlowWayOptions, slowWay } from '../../../../test/support/slow-way.ts'
import { SUBPROTOCOL } from '../../src/relay/protocol.ts'
import { type PeerEnd, RelayPeer } from '../../src/relay/relay-peer.ts'
import type { RelayTiming } from '../../src/relay/relay-session.ts'
import { connectToRelay } from '../../src/relay/relay-socket.ts'
import { RelayBench, type RelayBenchParts } from './relay-bench.ts'

const LATE = { askMs: 300, answerMs: 300 }

/** A relay with two ways to it, and both sides of one session. */
interface Scene extends AsyncDisposable {
  readonly bench: RelayBench
  readonly id: string
  readonly operator: RelayPeer
  readonly agent: RelayPeer
  /** Everything that the operator has read. */
  readonly read: Buffer[]
  /** Everything that was typed, as the host has it. */
  readonly typed: Buffer[]
}

interface SceneParts extends RelayBenchParts {
  readonly env?: Record<string, string>
  readonly timing?: Partial<RelayTiming>
  readonly operatorWay?: SlowWayOptions
  readonly mode?: 'exec' | 'shell'
}

async function scene({ env, timing, operatorWay, mode = 'exec', ...parts }: SceneParts = {}): Promise<Scene> {
  await using opened = new AsyncDisposableStack()
  const bench = opened.use(await RelayBench.open(env, timing, parts))
  const port = Number(new URL(bench.url).port)
  const [near, far] = [
    opened.use(await slowWay(port, { ...LATE, ...operatorWay })),
    opened.use(await slowWay(port, LATE)),
  ]
  const { id, token } = await bench.opened(mode === 'exec' ? { mode, command: 'print' } : { mode })
  const [operator, agent] = await Promise.all([
    connectToRelay(`ws://127.0.0.1:${near.port}/relay/v1/operator`, token),
    connectToRelay(`ws://127.0.0.1:${far.port}/relay/v1/agent`, await bench.claimed()),
  ])
  const [read, typed]: [Buffer[], Buffer[]] = [[], []]
  const into = (heard: Buffer[]) => ({
    bytes: (data: Buffer, done: () => void) => {
      heard.push(data)
      done()
    },
    control: () => {},
    drained: () => {},
  })
  operator.listen(into(read))
  agent.listen(into(typed))
  const rest = opened.move()
  return {
    ...{ bench, id, operator, agent, read, typed },
    [Symbol.asyncDispose]: async () => {
      for (const peer of [operator, agent]) peer.cut()
      await bench.row(id)
      await rest.disposeAsync()
    },
  }
}

/** Bytes; each four of them say their place. */
function numbered(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 4) bytes.writeUInt32BE(at, at)
  return bytes
}

/** The milliseconds until a session ends, and how it did. */
async function timed(ended: Promise<PeerEnd>): Promise<PeerEnd & { readonly ms: number }> {
  const began = performance.now()
  const end = await ended
  return { ...end, ms: performance.now() - began }
}

test.concurrent.each([
  ['while its program runs', 3000, { bytes: 65_536, pauseMs: 20 }],
  // The rest takes nearly two seconds.
  ['once its program has ended, however long the rest takes', 1500, { bytes: 16_384, pauseMs: 150 }],
])('A slow reader gets every byte in its order %s', async (_what, goodbyeMs, sips) => {
  await using at = await scene({ timing: { goodbyeMs }, operatorWay: { sips } })
  await Promise.all([at.operator.ready, at.agent.ready])
  const bytes = numbered(272 * 1024)
  for (let from = 0; from < bytes.length; from += 8000) at.agent.send(bytes.subarray(from, from + 8000), 1)
  at.operator.send(Buffer.from('typed'), 0)
  await at.agent.flushed()
  at.agent.control({ t: 'exit', code: 0 })
  at.agent.close()
  expect(await at.operator.ended).toEqual({ reason: 'done', code: 1000 })
  expect(Buffer.concat(at.read.map((each) => each.subarray(1))).equals(bytes)).toBe(true)
  expect(Buffer.concat(at.typed).toString()).toBe('\0typed')
  const frames = Math.ceil(bytes.length / 8000)
  expect(await at.bench.row(at.id)).toMatchObject({
    ...{ state: 'ended', endReason: 'done', exitCode: 0 },
    ...{ bytesIn: 6, bytesOut: bytes.length + frames },
  })
})

test.concurrent('A session in which somebody types now and then is not idle, and is two seconds after the last word', async () => {
  await using at = await scene({ env: { RELAY_IDLE_TIMEOUT_S: '2' } })
  await Promise.all([at.operator.ready, at.agent.ready])
  for (let word = 0; word < 5; word += 1) {
    if (word > 0) await pause(600)
    at.operator.send(Buffer.from('a'), 0)
  }
  const { ms, ...end } = await timed(at.operator.ended)
  expect(end).toEqual({ reason: 'idle', code: 4440 })
  await at.agent.ended
  expect(Buffer.concat(at.typed).toString('hex')).toBe('0061'.repeat(5))
  // There and back, and the seconds between them.
  expect(ms).toBeGreaterThan(2400)
  expect(ms).toBeLessThan(5000)
})

test.concurrent('The longest session is measured from its beginning, in seconds', async () => {
  await using at = await scene({ env: { RELAY_MAX_SESSION_S: '1' } })
  await at.operator.ready
  const { ms, ...end } = await timed(at.operator.ended)
  expect(end).toEqual({ reason: 'max', code: 4441 })
  expect(ms).toBeGreaterThan(900)
  expect(ms).toBeLessThan(3000)
})

test.concurrent('Two sides that say nothing and answer late are still there', async () => {
  await using at = await scene({ timing: { pingMs: 200, deadMs: 1500 } })
  await Promise.all([at.operator.ready, at.agent.ready])
  await pause(1900)
  expect(at.bench.relay.size).toBe(1)
  at.operator.close()
  expect(await at.bench.row(at.id)).toMatchObject({ endReason: 'closed' })
})

test.concurrent('Both are there in time although the note of it takes longer than the limit of pairing', async () => {
  const ledgerOver: RelayBenchParts['ledgerOver'] = (ledger) => ({
    admit: (ticket) => ledger.admit(ticket),
    end: (sid, end) => ledger.end(sid, end),
    over: (sids) => ledger.over(sids),
    connected: async (sid) => {
      await pause(1200)
      return ledger.connected(sid)
    },
  })
  await using at = await scene({ env: { RELAY_PAIR_TIMEOUT_S: '1' }, ledgerOver })
  await at.operator.ready
  const sum = await counted(at.bench.test.plane, 'svc_relay_pair_seconds_sum')
  expect(sum['']).toBeGreaterThan(1.1)
  expect(sum['']).toBeLessThan(4)
  at.operator.close()
  await at.agent.ended
})

test.concurrent('A recording is as long as it may be, and its session goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-recorded-'))
  {
    const parts = { env: { RELAY_RECORD_DIR: folder }, recordingBytes: 2000, mode: 'shell' } as const
    await using at = await scene(parts)
    await Promise.all([at.operator.ready, at.agent.ready])
    for (let line = 0; line < 90; line += 1)
      at.agent.send(Buffer.from(`line ${line} of what a host prints\n`))
    at.agent.control({ t: 'exit', code: 3 })
    at.agent.close()
    expect(await at.operator.ended).toMatchObject({ reason: 'done' })
    expect(Buffer.concat(at.read).toString()).toContain('line 89 ')
    const text = readFileSync(join(folder, `${at.id}.cast`), 'utf8')
    expect(text.length).toBeLessThanOrEqual(2000)
    expect(text.length).toBeGreaterThan(1800)
    expect(text.endsWith('\n')).toBe(true)
  }
  rmSync(folder, { recursive: true })
})

test.concurrent('A ticket that is looked at when the draining begins lets in, until the draining ends', async () => {
  let admitted = 0
  const ledgerOver: RelayBenchParts['ledgerOver'] = (ledger) => ({
    end: (sid, end) => ledger.end(sid, end),
    over: (sids) => ledger.over(sids),
    connected: (sid) => ledger.connected(sid),
    admit: async (ticket) => {
      admitted += 1
      if (admitted === 2) bench.relay.drain()
      await pause(300)
      return ledger.admit(ticket)
    },
  })
  await using bench = await RelayBench.open({ RELAY_DRAIN_S: '1' }, {}, { ledgerOver })
  const { id, token } = await bench.opened()
  const [operator, agent] = await Promise.all([
    bench.side('operator', token),
    bench.side('agent', await bench.claimed()),
  ])
  expect(await operator.control('bye')).toEqual({ t: 'bye', reason: 'restart' })
  expect([await operator.closed, await agent.closed]).toEqual([1012, 1012])
  expect(await bench.row(id)).toMatchObject({ endReason: 'restart' })
  expect(bench.relay.size).toBe(0)
})

test.concurrent.each([
  ['is there as long as its relay asks for a sign of life', 100, undefined],
  ['gives a relay up that says nothing any more', 60_000, 1006],
])('A side %s', async (_what, pingMs, code) => {
  await using bench = await RelayBench.open({}, { pingMs })
  const { token } = await bench.opened()
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${bench.url}/relay/v1/operator`, SUBPROTOCOL, { headers })
  const peer = new RelayPeer(socket, { deadMs: 800, lookMs: 50 })
  const over = new AbortController()
  const { signal } = over
  const ended = Promise.race([
    peer.ended.then((end) => end.code),
    pause(1500, undefined, { signal }).catch(() => {}),
  ])
  expect(await ended).toBe(code)
  over.abort()
  peer.cut()
})
