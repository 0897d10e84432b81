// A route that takes connections over, on real sockets: it says 101 and echoes.
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '@svc/core'
import { type TestPlane, testPlane } from '@svc/testing'
import { exchange, rawExchange } from '../../../../test/support/exchange.ts'
import { open } from '../../src/gates/open.ts'
import { sameOrigin } from '../../src/gates/same-origin.ts'
import {
  createApp,
  json,
  type Listening,
  type ListenOptions,
  listen,
  route,
  type UpgradeCall,
  upgradeRoute,
} from '../../src/index.ts'

const END = '\r\n\r\n'
const ASK = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
const GOODBYE = 'goodbye'

/** The connections that the route has taken over. */
const taken: UpgradeCall<unknown, 'do'>[] = []

const relay = upgradeRoute({
  path: '/relay',
  summary: 'Sends back what it gets.',
  protocol: 'websocket',
  gate: sameOrigin({ name: 'relay', limit: 20, windowSeconds: 60 }),
  query: { do: 'What the route does.' },
  replies: { 409: { description: 'Taken already.' } },
  accept: (call) => {
    const { socket, head, query, draining } = call
    if (query.do === 'refuse') return json({ error: 'token consumed' }, {}, 409)
    if (query.do === 'throw') throw new Problem('unauthorized')
    if (query.do === 'fail') throw new Error('secret')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${ASK}\r\n`)
    if (query.do === 'fail-late') throw new Error('secret')
    taken.push(call)
    socket.write(head)
    socket.pipe(socket, { end: false })
    if (query.do !== 'stay') draining.addEventListener('abort', () => socket.end(GOODBYE))
    return undefined
  },
})

let gateReached = Promise.withResolvers<void>()
let gateOpened = Promise.withResolvers<void>()
const held = upgradeRoute({
  ...relay,
  path: '/held',
  gate: {
    ...open,
    admit: async () => {
      gateReached.resolve()
      await gateOpened.promise
    },
  },
})
const slow = route({
  method: 'GET',
  path: '/slow',
  summary: 'Answers when it may.',
  gate: open,
  replies: {},
  handle: async () => {
    await gateOpened.promise
    return json({ slow: true })
  },
})

let faked: TestPlane
let server: Listening
const serve = async (options: Partial<ListenOptions> = {}) => {
  const app = createApp(faked.plane, { routes: [slow], upgradeRoutes: [relay, held] })
  server = await listen(app, { host: '127.0.0.1', port: 0, log: faked.log, ...options } as ListenOptions)
}
beforeEach(async () => {
  taken.length = 0
  gateReached = Promise.withResolvers()
  gateOpened = Promise.withResolvers()
  faked = testPlane()
  await serve()
})
afterEach(async () => {
  gateOpened.resolve()
  await server.cut()
  await faked[Symbol.asyncDispose]()
})

const head = (path: string, lines = ASK, method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: here\r\n${lines}\r\n`

/** A client whose received text can be waited for. */
function client(bytes: string) {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  const waiting = new Set<() => void>()
  socket.on('data', (chunk) => {
    text += String(chunk)
    for (const look of waiting) look()
  })
  socket.on('error', () => {})
  socket.write(bytes)
  const got = (part: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!text.includes(part)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, got, closed, text: () => text }
}

const turns = async () => {
  for (let count = 0; count < 20; count += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('an upgrade', () => {
  it('is handed to its route with the bytes that came along, and carries both ways', async () => {
    const { socket, got } = client(`${head('/relay?do=echo')}early `)
    await got('early ')
    socket.write('later')
    await got('early later')
    expect(taken[0]).toMatchObject({ query: { do: 'echo' }, caller: { address: '127.0.0.1' } })
    const { text } = await exchange(server.port, { path: '/metrics' })
    expect(text).toMatch(/_count\{method="GET",route="\/relay",status="101"\} 1\n/)
    socket.destroy()
  })

  it('comes after the answers to earlier requests of its connection', async () => {
    const { socket, got, text } = client(head('/slow', '') + head('/relay'))
    await turns()
    expect(taken).toEqual([])
    gateOpened.resolve()
    await got('101 Switching')
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"slow":true\}HTTP\/1\.1 101 /)
    socket.destroy()
  })

  it('stays open longer than idle connections do', async () => {
    await server.cut()
    await serve({ patience: { keepAliveTimeout: 100 } })
    gateOpened.resolve()
    const { socket, got } = client(head('/slow', '') + head('/relay'))
    await got('101 Switching')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    socket.write('still here')
    await got('still here')
    socket.destroy()
  })
})

describe('a refused upgrade', () => {
  it.each([
    ['by its gate', '/relay', 'Origin: https://evil.example\r\n', 403, { error: 'forbidden' }],
    ['by a reply of the route', '/relay?do=refuse', '', 409, { error: 'token consumed' }],
    ['by a problem of the route', '/relay?do=throw', '', 401, { error: 'unauthorized' }],
    ['by a fault of the route', '/relay?do=fail', '', 500, { error: 'internal error' }],
  ])(
    'is an ordinary answer that says why, and ends the connection: %s',
    async (_, path, more, status, body) => {
      const answer = await rawExchange(server.port, head(path, ASK + more))
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w`))
      expect(answer).toMatch(/^Connection: close\r$/m)
      expect(answer).toMatch(/^Content-Type: application\/json; charset=utf-8\r$/m)
      expect(answer).toMatch(/^Cache-Control: no-store\r$/m)
      expect(answer).toMatch(/^Svc-Request-Id: req_/m)
      expect(JSON.parse(answer.split(END)[1] ?? '')).toEqual(body)
      expect(taken).toEqual([])
    },
  )

  it('by a rate limit says when to come back, and is counted', async () => {
    for (let count = 0; count < 20; count += 1) await rawExchange(server.port, head('/relay?do=refuse'))
    const answer = await rawExchange(server.port, head('/relay'))
    expect(answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*^Retry-After: 60\r$/m)
    const { text } = await exchange(server.port, { path: '/metrics' })
    expect(text).toContain('svc_rate_limit_rejected_total{route="/relay"} 1\n')
  })

  it('after 101 can only be the end of the connection', async () => {
    const answer = await rawExchange(server.port, head('/relay?do=fail-late'))
    expect(answer).not.toContain('500')
    expect(faked.log.messages('error')).toEqual(['request fault'])
  })
})

describe('a request that is no upgrade', () => {
  const CLOSE = 'Connection: close\r\n'

  it.each([
    ['without the header, where one is wanted', '/relay', CLOSE, 426],
    ['for another protocol', '/relay', 'Connection: Upgrade, close\r\nUpgrade: h2c\r\n', 426],
    ['to a path without one', '/livez', 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n', 200],
    ['to a path that is not there', '/nothing', 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n', 404],
    ['to two hosts', '/relay', `Host: elsewhere\r\n${ASK}`, 400],
  ])('gets an ordinary answer: %s', async (_, path, lines, status) => {
    const answer = await rawExchange(server.port, head(path, lines))
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(taken).toEqual([])
  })

  it('is told what to ask for', async () => {
    expect(await exchange(server.port, { path: '/relay' })).toMatchObject({
      status: 426,
      headers: { upgrade: 'websocket', connection: 'Upgrade, close' },
      body: { error: 'upgrade required' },
    })
  })

  it.each(['POST', 'HEAD', 'OPTIONS'])('is 405 with %s, with its body read as usual', async (method) => {
    const lines = `Connection: Upgrade, close\r\nUpgrade: websocket\r\n${method === 'POST' ? 'Content-Length: 2\r\n' : ''}`
    const answer = await rawExchange(
      server.port,
      head('/relay', lines, method) + (method === 'POST' ? '{}' : ''),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*^Allow: GET\r$/m)
  })

  it('of HTTP/1.0 knows no upgrades', async () => {
    const answer = await rawExchange(server.port, `GET /relay HTTP/1.0\r\nHost: here\r\n${ASK}\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 426 /)
  })
})

describe('a client that leaves', () => {
  it('while its gate decides is not handed over', async () => {
    const { socket, closed } = client(head('/held'))
    await gateReached.promise
    socket.resetAndDestroy()
    await closed
    await turns()
    gateOpened.resolve()
    await turns()
    expect(await exchange(server.port, { path: '/livez' })).toMatchObject({ status: 200 })
    expect(faked.log.messages('error')).toEqual([])
    expect(await server.drain()).toEqual({ lost: 0 })
  })

  it('in the middle, by a reset, disturbs nobody and is counted no longer', async () => {
    const { socket, got } = client(head('/relay?do=stay'))
    await got('101 Switching')
    const gone = new Promise((resolve) => taken[0]?.socket.once('close', resolve))
    socket.resetAndDestroy()
    await gone
    expect(await server.drain()).toEqual({ lost: 0 })
  })
})

describe('draining', () => {
  it('tells the route, and waits for the goodbye', async () => {
    const { got, closed, socket } = client(head('/relay'))
    await got('101 Switching')
    socket.once('end', () => socket.end())
    expect(await server.drain()).toEqual({ lost: 0 })
    await Promise.all([got(GOODBYE), closed])
  })

  it('lets an upgraded connection go on while it does, although it owes no answer', async () => {
    const { got, socket } = client(head('/relay?do=stay'))
    await got('101 Switching')
    const drained = server.drain()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    socket.write('still here')
    await got('still here')
    socket.end()
    taken[0]?.socket.end()
    expect(await drained).toEqual({ lost: 0 })
  })

  it.each(['open', 'half-open'])(
    'destroys after its deadline what stayed %s, and says how much',
    async (how) => {
      await server.cut()
      await serve({ drainDeadlineMs: 50 })
      const { got, closed, socket } = client(head('/relay?do=stay'))
      await got('101 Switching')
      if (how === 'half-open') socket.end()
      await turns()
      expect(await server.drain()).toEqual({ lost: 1 })
      expect(taken[0]?.draining.aborted).toBe(true)
      socket.end()
      await closed
    },
  )

  it('takes no more upgrades: 503 with a time to come back', async () => {
    await server.cut()
    await serve({ drainDelayMs: 60_000 })
    const drained = server.drain()
    const answer = await rawExchange(server.port, head('/relay'))
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*^Retry-After: 1\r$/m)
    await server.cut()
    expect(await drained).toEqual({ lost: 0 })
  })

  it('waits for a gate that still decides, whose route learns at once that it drains', async () => {
    const { got, socket } = client(head('/held?do=stay'))
    await gateReached.promise
    const drained = server.drain()
    gateOpened.resolve()
    await got('101 Switching')
    expect(taken[0]?.draining.aborted).toBe(true)
    taken[0]?.socket.destroy()
    socket.destroy()
    expect(await drained).toEqual({ lost: 0 })
  })
})

it('of another application is served from the next request on', async () => {
  server.serve(createApp(faked.plane))
  expect(
    await rawExchange(server.port, head('/relay', `Connection: Upgrade, close\r\nUpgrade: websocket\r\n`)),
  ).toMatch(/^HTTP\/1\.1 404 /)
})
