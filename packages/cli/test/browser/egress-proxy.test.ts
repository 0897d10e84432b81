import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createPlain } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PageGuard } from '@svc/core/adapters'
import type { EgressLane } from '../../src/browser/egress-lane.ts'
import { EgressProxy } from '../../src/browser/egress-proxy.ts'

/** An address that the guard allows; the other addresses of this machine are as refused as ever. */
const SITE = '127.0.0.2'
const MAX_BYTES = 100_000

const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port
const basic = ({ username, password }: Pick<EgressLane, 'username' | 'password'>) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

let site: Server
let neighbour: ReturnType<typeof createPlain>
let neighbours = 0
const seen: { url: string | undefined; headers: NodeJS.Dict<string | string[]>; body: string }[] = []
let answers: Record<string, readonly string[]> = {}
let asked = 0
let proxy: EgressProxy
let lane: EgressLane

beforeAll(async () => {
  site = createServer(async (from, to) => {
    const body = (await from.setEncoding('utf8').toArray()).join('')
    seen.push({ url: from.url, headers: from.headers, body })
    if (from.url === '/big') to.end(Buffer.alloc(2 * MAX_BYTES))
    else if (from.url === '/hold') to.write('begun')
    else
      to.writeHead(201, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Connection', 'x-hop', 'X-Hop', 'y']).end(
        'hello',
      )
  })
  neighbour = createPlain((socket) => {
    neighbours += 1
    socket.destroy()
  })
  site.listen(0, SITE)
  neighbour.listen(0, '127.0.0.1')
  await Promise.all([once(site, 'listening'), once(neighbour, 'listening')])
})
afterAll(async () => {
  site.close()
  site.closeAllConnections()
  neighbour.close()
  await Promise.all([once(site, 'close'), once(neighbour, 'close')])
})
beforeEach(async () => {
  seen.length = 0
  asked = 0
  neighbours = 0
  answers = { 'site.test': [SITE], 'inside.test': ['127.0.0.1'], 'mixed.test': [SITE, '127.0.0.1'] }
  const guard = new PageGuard({
    resolver: {
      resolve: async (host) => {
        asked += 1
        return answers[host] ?? []
      },
    },
    ports: [portOf(site), portOf(neighbour)],
    allow: [`${SITE}/32`],
  })
  proxy = new EgressProxy({ guard, secret: (bytes) => randomBytes(bytes).toString('base64url') })
  proxy.server.listen(0, '127.0.0.1')
  await once(proxy.server, 'listening')
  lane = proxy.open({ maxBytes: MAX_BYTES })
})
afterEach(async () => {
  proxy.server.close()
  proxy.server.closeAllConnections()
})

/** Asks the proxy for a URL; a connection that ends without an answer is status 0. */
async function get(url: string, headers: object = { 'proxy-authorization': basic(lane) }, body?: string) {
  const { promise, resolve } = Promise.withResolvers<{ status: number; raw: string[]; text: string }>()
  const method = body === undefined ? 'GET' : 'POST'
  const place = { host: '127.0.0.1', port: portOf(proxy.server), path: url, method, agent: false }
  const sent = request({ ...place, headers: { host: new URL(url).host, ...headers } }, async (answer) => {
    const parts = await answer
      .setEncoding('utf8')
      .toArray()
      .catch(() => ['cut off'])
    resolve({ status: answer.statusCode ?? 0, raw: answer.rawHeaders, text: parts.join('') })
  })
  sent.on('error', () => resolve({ status: 0, raw: [], text: '' }))
  sent.end(body)
  return promise
}

/** Asks for a tunnel; returns the head of the answer and the tunnelled bytes. */
async function tunnel(place: string, credential: string | undefined, said = '') {
  const socket = connect(portOf(proxy.server), '127.0.0.1').setEncoding('latin1')
  const lines = [
    `CONNECT ${place} HTTP/1.1`,
    `Host: ${place}`,
    credential && `Proxy-Authorization: ${credential}`,
  ]
  socket.write(`${lines.filter(Boolean).join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket as AsyncIterable<string>) {
    text += chunk
    if (said !== '' && text.endsWith('\r\n\r\n')) socket.write(said)
    if (text.endsWith('hello')) break
  }
  socket.destroy()
  return { status: Number(text.split(' ')[1] ?? 0), text }
}

const at = (host: string, path = '/', port = portOf(site)) => `http://${host}:${port}${path}`

test.each(['content-autofill.googleapis.com', 'Update.GoogleAPIs.com.'])(
  'the service %s, which only Chromium itself asks, is reached with no credential of a page',
  async (host) => {
    answers = { [host]: [SITE] }
    expect(await tunnel(`${host}:443`, basic(lane))).toMatchObject({ status: 502 })
    expect(await get(`http://${host}/`)).toMatchObject({ status: 0 })
    expect([asked, lane.refusals.map(({ reason }) => reason)]).toEqual([0, ['browser', 'browser']])
  },
)

describe('a call without the credential of a lane', () => {
  test.each([
    ['none', () => undefined],
    ['a wrong password', () => basic({ username: lane.username, password: 'x'.repeat(32) })],
    ['another scheme', () => `Bearer ${lane.password}`],
    [
      'a lane that has ended',
      () => {
        lane[Symbol.dispose]()
        return basic(lane)
      },
    ],
  ])('goes nowhere: %s', async (_name, credentialOf) => {
    const credential = credentialOf()
    const headers = credential === undefined ? {} : { 'proxy-authorization': credential }
    expect(await get(at('site.test'), headers)).toMatchObject({ status: 407 })
    expect(await tunnel(`site.test:${portOf(site)}`, credential)).toMatchObject({ status: 407 })
    expect([seen, asked]).toEqual([[], 0])
  })
})

describe('a call to an address that is not public', () => {
  test.each([
    ['a name inside', () => 'inside.test', 'private_address'],
    ['a name with an address inside beside another', () => 'mixed.test', 'private_address'],
    ['this machine', () => '127.0.0.1', 'private_address'],
    ['this machine in IPv6', () => '[::1]', 'private_address'],
    ['this machine, mapped', () => '[::ffff:127.0.0.1]', 'private_address'],
    ['this machine, unspecified', () => '0.0.0.0', 'private_address'],
    ['this machine as a number', () => '2130706433', 'private_address'],
    ['metadata', () => '169.254.169.254', 'private_address'],
    ['a name without an address', () => 'none.test', 'dns'],
  ])('is refused by both ways and noted: %s', async (_name, hostOf, reason) => {
    const [host, port] = [hostOf(), portOf(neighbour)]
    expect(await get(at(host, '/secret?token=x', port))).toMatchObject({ status: 0 })
    expect(await tunnel(`${host}:${port}`, basic(lane))).toMatchObject({ status: 502 })
    expect(new Set(lane.refusals.map((refused) => refused.reason))).toEqual(new Set([reason]))
    expect(JSON.stringify(lane.refusals)).not.toContain('token')
    expect(neighbours).toBe(0)
  })

  test('is refused when its name has changed its answer since', async () => {
    expect(await get(at('site.test'))).toMatchObject({ status: 201 })
    answers['site.test'] = ['127.0.0.1']
    expect(await get(at('site.test', '/', portOf(neighbour)))).toMatchObject({ status: 0 })
    expect(neighbours).toBe(0)
  })

  test.each(['site.test:25', 'site.test', 'site.test:99999', '[::1', ':80', 'site.test:80/x', 'a b:80'])(
    'is refused as a tunnel to %j',
    async (place) => {
      expect([0, 400, 502]).toContain((await tunnel(place, basic(lane))).status)
      expect(seen).toEqual([])
    },
  )
})

describe('a call that passes', () => {
  test('arrives under its name, without headers of the connection, and its answer comes whole', async () => {
    const headers = { 'proxy-authorization': basic(lane), 'proxy-connection': 'keep-alive', 'x-own': '1' }
    const answer = await get(at('site.test', '/page?a=1'), headers, 'sent')
    expect(answer).toMatchObject({ status: 201, text: 'hello' })
    expect(answer.raw.filter((each) => /^[ab]=/.test(each))).toEqual(['a=1', 'b=2'])
    expect(answer.raw).not.toContain('X-Hop')
    expect(seen).toMatchObject([{ url: '/page?a=1', body: 'sent', headers: { 'x-own': '1' } }])
    expect(seen[0]?.headers.host).toBe(`site.test:${portOf(site)}`)
    expect(Object.keys(seen[0]?.headers ?? {})).not.toContain('proxy-authorization')
    expect(Object.keys(seen[0]?.headers ?? {})).not.toContain('proxy-connection')
  })

  test('is resolved once', async () => {
    await get(at('site.test'))
    expect(asked).toBe(1)
  })

  test('may be a tunnel, whose bytes are counted both ways', async () => {
    const said = 'GET /x HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n'
    const { text } = await tunnel(`site.test:${portOf(site)}`, basic(lane), said)
    expect(text).toContain('hello')
    expect(lane.bytes).toBeGreaterThan(said.length + 'hello'.length)
  })

  test('fails with the code of the connection, and is not refused', async () => {
    const closed = createPlain().listen(0, SITE)
    await once(closed, 'listening')
    const { port } = closed.address() as AddressInfo
    closed.close()
    await once(closed, 'close')
    const open = new PageGuard({
      resolver: { resolve: async () => [] },
      ports: [port],
      allow: [`${SITE}/32`],
    })
    const other = new EgressProxy({
      guard: open,
      secret: (bytes) => randomBytes(bytes).toString('base64url'),
    })
    const own = other.open({ maxBytes: MAX_BYTES })
    other.server.listen(0, '127.0.0.1')
    await once(other.server, 'listening')
    const former = proxy
    proxy = other
    expect(await get(at(SITE, '/', port), { 'proxy-authorization': basic(own) })).toMatchObject({ status: 0 })
    proxy = former
    other.server.close()
    other.server.closeAllConnections()
    expect(own.failureOf(at(SITE, '/', port))).toBe('ECONNREFUSED')
    expect(own.refusals).toEqual([])
  })
})

describe('a lane', () => {
  test('that has moved more bytes than it may is cut off, and takes nothing more', async () => {
    expect((await get(at('site.test', '/big'))).text).not.toHaveLength(2 * MAX_BYTES)
    expect(lane.full.aborted).toBe(true)
    const before = seen.length
    expect(await get(at('site.test'))).toMatchObject({ status: 0 })
    expect(seen).toHaveLength(before)
  })

  test('that ends takes its connections along, and no others', async () => {
    const other = proxy.open({ maxBytes: MAX_BYTES })
    const held = get(at('site.test', '/hold'))
    while (seen.length === 0) await new Promise(setImmediate)
    lane[Symbol.dispose]()
    expect((await held).text).not.toBe('hello')
    expect(await get(at('site.test'), { 'proxy-authorization': basic(other) })).toMatchObject({ status: 201 })
  })

  test('keeps 100 refusals at most', async () => {
    for (let count = 0; count < 120; count += 1) lane.refuse(`http://a${count}.test/`, 'dns')
    expect(lane.refusals).toHaveLength(100)
  })
})
