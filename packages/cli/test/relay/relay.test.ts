// The relay on real sockets: both sides are raw WebSockets, which may do anything.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { counted } from '../../../../test/support/counted.ts'
import { type RefusedUpgrade, RelayBench, Side } from './relay-bench.ts'

const QUICK = { pingMs: 20, deadMs: 200, lookMs: 20 }

let bench: RelayBench
const open = async (env: Record<string, string> = {}, timing = {}) => {
  bench = await RelayBench.open(env, timing)
}
afterEach(() => bench[Symbol.asyncDispose]())

const flipped = (token: string) => token.slice(0, -4) + (token.at(-4) === 'A' ? 'B' : 'A') + token.slice(-3)

describe('a relay', () => {
  it('pairs two sides and carries what they say, whichever comes first', async () => {
    await open()
    const { id, operator, agent } = await bench.paired({ mode: 'exec', command: 'uptime' })
    expect(await operator.control('ready')).toEqual({
      t: 'ready',
      sid: id,
      window: 262_144,
      idle_s: 900,
      max_s: 28_800,
    })
    expect(await bench.test.storage.accessSessions.get(PLATFORM, id)).toMatchObject({ state: 'connected' })
    operator.socket.send(Buffer.from('\0in'))
    agent.socket.send(Buffer.from('\x01out'))
    operator.socket.send('{"t":"resize","cols":100,"rows":30}')
    operator.socket.send('{"t":"later","x":1}')
    await agent.control('later')
    await operator.until(({ heard }) => heard === '\x01out')
    expect(agent.heard).toBe('\0in')
    expect(agent.texts).toContainEqual({ t: 'resize', cols: 100, rows: 30 })
    agent.socket.send('{"t":"exit","code":7}')
    agent.socket.close(1000)
    expect(await operator.control('exit')).toEqual({ t: 'exit', code: 7 })
    expect(await operator.control('bye')).toEqual({ t: 'bye', reason: 'done' })
    expect(await operator.closed).toBe(1000)
    const row = await bench.row(id)
    expect(row).toMatchObject({ state: 'ended', endReason: 'done', exitCode: 7, bytesIn: 3, bytesOut: 4 })
    expect(row.command).toBeUndefined()
    const { plane } = bench.test
    expect(await counted(plane, 'svc_relay_sessions_ended_total')).toEqual({ '{reason="done"}': 1 })
    expect(await counted(plane, 'svc_relay_bytes_total')).toEqual({
      '{direction="in"}': 3,
      '{direction="out"}': 4,
    })
  })

  it('takes a ticket once: then 409, unused after a minute 401, and later 410 or 404', async () => {
    await open()
    const { id, token } = await bench.opened()
    const operator = await bench.side('operator', token)
    expect(await bench.connect('operator', token)).toEqual({ status: 409, error: 'token consumed' })
    const { token: unused } = await bench.opened()
    bench.test.clock.advance({ seconds: 60 })
    expect(await bench.connect('operator', unused)).toEqual({ status: 401, error: 'token expired' })
    operator.socket.close(1000)
    await bench.row(id)
    await bench.beat()
    const late = await bench.opened()
    await bench.test.plane.access.revoke(PLATFORM, late.id)
    expect(await bench.connect('operator', late.token)).toEqual({ status: 410, error: 'session ended' })
  })

  it('a session that began in the last second of its tickets goes on for long', async () => {
    await open()
    const { token } = await bench.opened()
    bench.test.clock.advance({ seconds: 59 })
    const operator = await bench.side('operator', token)
    const agent = await bench.side('agent', await bench.claimed())
    await agent.control('ready')
    bench.test.clock.advance({ minutes: 30 })
    agent.socket.send(Buffer.from('still here'))
    await operator.until(({ heard }) => heard === 'still here')
  })

  it('says why it refuses a connection, and no session follows', async () => {
    await open()
    const { id, token } = await bench.opened()
    const agentToken = await bench.claimed()
    const evil = { origin: 'https://evil.example' }
    const tries: readonly (readonly [
      'agent' | 'operator',
      string,
      Record<string, string>,
      number,
      string,
    ])[] = [
      ['operator', '', {}, 401, 'token invalid'],
      ['operator', flipped(token), {}, 401, 'token invalid'],
      ['operator', agentToken, {}, 401, 'token invalid'],
      ['agent', token, {}, 401, 'token invalid'],
      ['operator', `svct_v1.${token}`, {}, 401, 'token invalid'],
      ['operator', 'x'.repeat(5000), {}, 401, 'token invalid'],
      ['operator', token, evil, 403, 'origin not allowed'],
      ['operator', token, { ...evil, cookie: 'svc_session=x' }, 403, 'origin not allowed'],
      ['operator', token, { origin: 'null' }, 403, 'origin not allowed'],
    ]
    for (const [role, given, headers, status, error] of tries)
      expect([given.length, await bench.connect(role, given, headers)]).toEqual([
        given.length,
        { status, error },
      ])
    expect(await bench.connect('operator', token, {}, ['svc-relay.v2'])).toEqual({
      status: 400,
      error: 'subprotocol missing',
    })
    expect(await bench.test.storage.accessSessions.get(PLATFORM, id)).toMatchObject({ state: 'claimed' })
    const refused = await counted(bench.test.plane, 'svc_relay_refused_total')
    expect(Object.values(refused).sort()).toEqual([1, 3, 6])
    expect(await bench.connect('operator', token)).toBeInstanceOf(Side)
  })

  it('of 500 upgrades at once holds those with a ticket, and limits the refused ones of an address', async () => {
    await open({ RELAY_MAX_SESSIONS_PER_HOST: '20' })
    const tokens = Array.from({ length: 480 }, () => '')
    while (tokens.length < 500) tokens.push((await bench.opened()).token)
    const answers = await Promise.all(tokens.map((token) => bench.connect('operator', token)))
    expect(answers.filter((each) => each instanceof Side)).toHaveLength(20)
    const refusals = answers.filter((each): each is RefusedUpgrade => !(each instanceof Side))
    const count = (status: number) => refusals.filter((each) => each.status === status).length
    expect([count(401), count(429)]).toEqual([60, 420])
    expect(refusals).toContainEqual({ status: 429, error: 'rate limit exceeded' })
  })

  it('takes a page of our own, which sends its ticket as a subprotocol', async () => {
    await open()
    const { token } = await bench.opened()
    const side = await bench.connect('operator', '', { origin: 'https://svc.example' }, [
      'svc-relay.v1',
      `svc-token.${token}`,
    ])
    expect((side as Side).socket.protocol).toBe('svc-relay.v1')
  })

  it('takes a page of a site that is named, and then none of our own', async () => {
    await open({ RELAY_ALLOWED_ORIGINS: 'https://panel.example' })
    const { token } = await bench.opened()
    const from = (origin: string) => bench.connect('operator', token, { origin })
    expect(await from('https://svc.example')).toEqual({ status: 403, error: 'origin not allowed' })
    expect(await from('https://panel.example')).toBeInstanceOf(Side)
  })

  it.each([
    ['bytes before both are there', Buffer.from('x'), 4400],
    ['text that is no JSON', '{', 4400],
    ['JSON that is no control object', '[1]', 4400],
    ['a control object of 4,097 bytes', `{"t":"${'x'.repeat(4090)}"}`, 4413],
    ['a frame of 10 MiB', Buffer.alloc(10 * 1024 * 1024), 1009],
  ])('ends a session for %s', async (_what, frame, code) => {
    await open()
    const { id, token } = await bench.opened()
    const operator = await bench.side('operator', token)
    operator.socket.send(frame)
    expect(await operator.closed).toBe(code)
    expect((await bench.row(id)).endReason).toBe(code === 4400 ? 'bad_frame' : 'too_large')
  })

  it('passes on no words of its own that a side puts into its mouth', async () => {
    await open()
    const { operator, agent } = await bench.paired()
    agent.socket.send('{"t":"bye","reason":"idle"}')
    agent.socket.send('{"t":"ready","sid":"x"}')
    agent.socket.send('{"t":"done"}')
    await operator.control('done')
    expect(operator.texts.map(({ t }) => t)).toEqual(['ready', 'done'])
  })

  it('stops reading a side while the other one does not read, and loses nothing', async () => {
    await open()
    const { operator, agent } = await bench.paired()
    operator.socket.pause()
    const frame = Buffer.alloc(64 * 1024, 'y')
    const frames = 800
    for (let count = 0; count < frames; count += 1) agent.socket.send(frame)
    agent.socket.send('{"t":"exit","code":0}')
    await new Promise((resolve) => setTimeout(resolve, 300))
    // 50 MB were sent: the bytes that have left here stand in the kernel's buffers and, at most 8 MiB, in the
    // relay.
    expect(agent.socket.bufferedAmount).toBeGreaterThan(10 * 1024 * 1024)
    operator.socket.resume()
    await operator.control('exit')
    expect(operator.bytes.reduce((sum, { length }) => sum + length, 0)).toBe(frames * frame.length)
  })

  it('a bomb of control frames fills nothing, and the session goes on', async () => {
    await open()
    const { operator, agent } = await bench.paired()
    for (let count = 0; count < 5000; count += 1) operator.socket.send('{"t":"ack","n":1}')
    operator.socket.send(Buffer.from('after'))
    await agent.until(({ heard }) => heard === 'after')
  })

  it('cuts a session that is revoked, and one whose license is suspended', async () => {
    await open({}, QUICK)
    const first = await bench.paired()
    await bench.test.plane.access.revoke(PLATFORM, first.id)
    expect(await first.operator.control('bye')).toEqual({ t: 'bye', reason: 'revoked' })
    expect([await first.operator.closed, await first.agent.closed]).toEqual([4410, 4410])
    const second = await bench.paired()
    await bench.test.plane.licenses.suspend(bench.licenseId)
    expect(await second.agent.closed).toBe(4410)
    expect(await bench.row(second.id)).toMatchObject({ state: 'revoked', endReason: 'barred' })
  })

  it('a side that is gone without a word is noticed, and the other one is told', async () => {
    await open({}, QUICK)
    const { id, operator, agent } = await bench.paired()
    // As behind a network that was cut: nothing is read, nothing is answered.
    ;(agent.socket as unknown as { _socket: { pause(): void } })._socket.pause()
    expect(await operator.control('bye')).toEqual({ t: 'bye', reason: 'peer_gone' })
    expect(await operator.closed).toBe(4411)
    expect(await bench.row(id)).toMatchObject({ state: 'ended', endReason: 'peer_gone' })
    agent.socket.terminate()
  })

  it('an operator who leaves before the host comes leaves nothing to fetch', async () => {
    await open()
    const { id, token } = await bench.opened()
    const operator = await bench.side('operator', token)
    operator.socket.close(1000)
    expect(await bench.row(id)).toMatchObject({ state: 'ended', endReason: 'closed' })
    expect(await bench.claimed()).toBe('')
  })

  it('has room for a number of sessions', async () => {
    await open({ RELAY_MAX_SESSIONS: '1' })
    const first = await bench.opened()
    const operator = await bench.side('operator', first.token)
    await bench.test.storage.accessSessions.revoke(PLATFORM, first.id)
    const second = await bench.opened()
    expect(await bench.connect('operator', second.token)).toEqual({ status: 503, error: 'relay full' })
    operator.socket.close()
  })

  it('a refused ticket takes no room', async () => {
    await open({ RELAY_MAX_SESSIONS: '1' })
    const late = await bench.opened()
    await bench.test.plane.access.revoke(PLATFORM, late.id)
    expect(await bench.connect('operator', late.token)).toEqual({ status: 410, error: 'session ended' })
    const { token } = await bench.opened()
    expect(await bench.connect('operator', token)).toBeInstanceOf(Side)
  })

  it('records what the host prints and nothing that is typed, for its owner alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-record-'))
    await open({ RELAY_RECORD_DIR: folder })
    const { id, operator, agent } = await bench.paired({ cols: 100, rows: 30 })
    operator.socket.send(Buffer.from('a password'))
    await agent.until(({ heard }) => heard === 'a password')
    agent.socket.send(Buffer.from('π in two parts').subarray(0, 1))
    agent.socket.send(Buffer.from('π in two parts').subarray(1))
    operator.socket.send('{"t":"resize","cols":120,"rows":40}')
    await agent.control('resize')
    agent.socket.send('{"t":"exit","code":0}')
    agent.socket.close(1000)
    await operator.closed
    await bench.row(id)
    const path = join(folder, `${id}.cast`)
    let text = ''
    while (!text.includes('120x40')) {
      if (existsSync(path)) text = readFileSync(path, 'utf8')
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [head, ...events] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(head).toMatchObject({ version: 2, width: 100, height: 30, env: { TERM: 'xterm-256color' } })
    expect(events.map(([, kind, what]) => [kind, what])).toEqual([
      ['o', 'π in two parts'],
      ['r', '120x40'],
    ])
    expect(text).not.toContain('password')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    rmSync(folder, { recursive: true })
  })
})

describe('a relay whose time is over', () => {
  // Each waits for a second of the real clock: they do so together.
  const ENDS: readonly (readonly [
    what: string,
    env: Record<string, string>,
    row: object,
    code: number,
    noisy?: 'prints' | 'types',
  ])[] = [
    ['no_peer', { RELAY_PAIR_TIMEOUT_S: '1' }, { state: 'expired', endReason: 'no_peer' }, 4408],
    ['idle', { RELAY_IDLE_TIMEOUT_S: '1' }, { state: 'ended', endReason: 'idle' }, 4440],
    // Nobody is there, although the host prints and the operator's terminal acknowledges.
    ['idle', { RELAY_IDLE_TIMEOUT_S: '1' }, { state: 'ended', endReason: 'idle' }, 4440, 'prints'],
    ['max', { RELAY_MAX_SESSION_S: '1' }, { state: 'ended', endReason: 'max' }, 4441],
    // Somebody types all the time: the longest time ends that session, and not its rest.
    [
      'max',
      { RELAY_MAX_SESSION_S: '2', RELAY_IDLE_TIMEOUT_S: '1' },
      { state: 'ended', endReason: 'max' },
      4441,
      'types',
    ],
    ['restart', { RELAY_DRAIN_S: '1' }, { state: 'ended', endReason: 'restart' }, 1012],
  ]

  it('ends a session that is alone, idle or too long, and all when it drains, and says which', async () => {
    await open()
    const ended = ENDS.map(async ([reason, env, row, code, noisy]) => {
      await using own = await RelayBench.open(env)
      const { id, operator, agent } = reason === 'no_peer' ? await alone(own) : await own.paired()
      const noise = noisy && setInterval(() => (noisy === 'types' ? types : prints)(agent, operator), 50)
      const drained = reason === 'restart' ? draining(own, operator) : undefined
      expect(await operator.control('bye')).toEqual({ t: 'bye', reason })
      expect(await operator.closed).toBe(code)
      clearInterval(noise)
      expect(await own.row(id)).toMatchObject(row)
      await drained
    })
    await Promise.all(ended)
  })
})

async function alone(own: RelayBench) {
  const { id, token } = await own.opened()
  return { id, operator: await own.side('operator', token), agent: undefined }
}

/** A host that prints something, which the operator's terminal takes. */
function prints(agent: Side | undefined, operator: Side): void {
  agent?.socket.send(Buffer.from('a line\n'))
  operator.socket.send('{"t":"ack","n":7}')
}

/** An operator who types. */
function types(_: Side | undefined, operator: Side): void {
  operator.socket.send(Buffer.from('a'))
}

/** Drains a relay, which admits nobody more and carries its sessions meanwhile. */
async function draining(own: RelayBench, operator: Side): Promise<void> {
  const { token } = await own.opened()
  const drained = own.server.drain()
  expect(await own.connect('operator', token)).toMatchObject({ error: 'draining' })
  operator.socket.send(Buffer.from('to the end'))
  expect(await drained).toEqual({ lost: 0 })
}
