// Misused connections, in ways that raw-http.test.ts does not test.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createApp, listen } from '../../packages/http/src/index.ts'
import { exchange, rawExchange } from '../../test/support/exchange.ts'
import { type Mount, type Mounted, mounted } from '../../test/support/mounted.ts'
import { HelperProcess } from '../src/helper-process.ts'
import type { Scene } from '../src/scene.ts'
import type { Weight } from '../src/siege-report.ts'

const IMPATIENT = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 }
const END = '\r\n\r\n'
const MIB = 1024 * 1024
const PIECE = 8 * 1024
/** The diagnostics channel of Node.js for each connection that a server of this process accepts. */
const ACCEPTED = 'net.server.socket'

/** For slow clients alone: on a busy machine it gives up good ones too. */
const impatient: Mount = async ({ plane }) => {
  const server = await listen(createApp(plane), { host: '127.0.0.1', port: 0, patience: IMPATIENT })
  return { port: server.port, stop: () => server.cut() }
}

let served: Mounted
/** Serves each test of a group, and expects that the service still answers after it. */
function serveEach(mount?: Mount) {
  beforeEach(async () => {
    served = await mounted(mount)
  })
  afterEach(async () => {
    try {
      // On a busy machine a good request may outstay an impatient server's limits, yet hardly three times.
      let status = 0
      for (let tries = 0; status !== 200 && tries < 3; tries += 1) ({ status } = await served.get('/livez'))
      expect(status).toBe(200)
      expect(served.log.messages('error')).toEqual([])
    } finally {
      await served[Symbol.asyncDispose]()
    }
  })
}

const statuses = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))
const claim = (body = '{"fingerprint":"f"}', ...headers: string[]) =>
  [
    'POST /v1/jobs/claim HTTP/1.1',
    'Host: here',
    `Authorization: Bearer ${served.key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ].join('\r\n') +
  END +
  body

describe('an unreadable request behind good ones', () => {
  serveEach()

  it.each([
    ['nonsense', `NONSENSE${END}`, 400],
    ['a head too large', `GET / HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(20_000)}${END}`, 431],
    ['two lengths', `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nContent-Length: 2${END}`, 400],
    ['no Host', `GET /livez HTTP/1.1${END}`, 400],
    ['a tunnel', `CONNECT a:1 HTTP/1.1\r\nHost: here${END}`, 405],
  ])('%s is answered in its turn, after theirs', async (_, bytes, status) => {
    expect(statuses(await rawExchange(served.port, claim() + claim('{') + bytes))).toEqual([204, 400, status])
  })
})

describe('two programs that do not agree where a request ends', () => {
  serveEach()

  const smuggled = 'GET /v1/fleet/servers HTTP/1.1\r\nHost: here'
  it.each([
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
    ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['chunks spelled oddly and a length', ['Transfer-Encoding: xchunked', 'Content-Length: 4']],
    ['chunks behind a tab', ['Transfer-Encoding:\tchunked', 'Content-Length: 4']],
    ['chunks twice', ['Transfer-Encoding: chunked, chunked', 'Content-Length: 4']],
    ['chunks, then none', ['Transfer-Encoding: chunked, identity', 'Content-Length: 4']],
    ['a name that ends in a blank', ['Transfer-Encoding : chunked', 'Content-Length: 4']],
    ['a negative length', ['Content-Length: -1']],
    ['a length with a sign', ['Content-Length: +4']],
    ['a length with a comma', ['Content-Length: 4, 4']],
    ['a length in hex', ['Content-Length: 0x4']],
    ['a length of a hundred digits', [`Content-Length: ${'9'.repeat(100)}`]],
  ])('%s: one 400, and the connection ends before anything that follows', async (_, headers) => {
    const lines = ['POST /v1/jobs/claim HTTP/1.1', 'Host: here', ...headers]
    const answers = await rawExchange(served.port, `${lines.join('\r\n')}${END}0\r\n\r\n${smuggled}${END}`)
    expect(statuses(answers)).toEqual([400])
    expect(answers).toContain('Connection: close')
  })

  it.each([
    ['a bare LF', 'GET /livez HTTP/1.1\nHost: here\n\n'],
    ['a bare CR in a value', `GET /livez HTTP/1.1\r\nHost: here\r\nX: a\rY: b${END}`],
    ['NUL in a value', `GET /livez HTTP/1.1\r\nHost: here\r\nX: a\u0000b${END}`],
    ['NUL in the path', `GET /live\u0000z HTTP/1.1\r\nHost: here${END}`],
    ['a header name with a blank', `GET /livez HTTP/1.1\r\nHost: here\r\nX Y: a${END}`],
    ['a lower-case protocol', `GET /livez http/1.1\r\nHost: here${END}`],
    [
      'a chunk size of 17 digits',
      `POST /login HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked${END}${'f'.repeat(17)}\r\nx`,
    ],
  ])('%s: 400', async (_, bytes) => {
    expect(statuses(await rawExchange(served.port, bytes))).toEqual([400])
  })
})

/** Returns all data that a connection receives until it closes, with or without an error. */
function untilClosed(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let heard = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text
  })
  socket.on('error', () => {})
  socket.once('close', () => resolve(heard))
  return promise
}

/** Sends bytes followed by a FIN; returns the answer. */
const halfClosed = (port: number, bytes: string): Promise<string> =>
  untilClosed(
    connect({ port, host: '127.0.0.1' }, function (this: Socket) {
      this.end(bytes)
    }),
  )

/** Returns the server's side of the next connection. */
function acceptedSocket(): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const heard = (message: unknown) => {
    unsubscribe(ACCEPTED, heard)
    resolve((message as { readonly socket: Socket }).socket)
  }
  subscribe(ACCEPTED, heard)
  return promise
}

describe('slow clients', () => {
  serveEach(impatient)

  /** Sends a piece every 40 ms until the server ends the connection; returns the answer. */
  function drip(first: string, piece: string): Promise<string> {
    const socket = connect(served.port, '127.0.0.1', () => socket.write(first))
    const timer = setInterval(() => socket.writable && socket.write(piece), 40)
    return untilClosed(socket).finally(() => clearInterval(timer))
  }

  it('a head that does not end is 408 in its turn, after the answers to requests before it', async () => {
    const bytes = `${claim()}${claim('{')}GET /livez HTTP/1.1\r\nHost: here\r\n`
    expect(statuses(await rawExchange(served.port, bytes))).toEqual([204, 400, 408])
  })

  it('a head that comes header by header is 408 when its time is over, however busy it looks', async () => {
    expect(statuses(await drip('GET /livez HTTP/1.1\r\nHost: here\r\n', 'X: y\r\n'))).toEqual([408])
  })

  it('so is a body that comes byte by byte', async () => {
    const head = claim('', 'X: y').replace('Content-Length: 0', 'Content-Length: 9999')
    expect(statuses(await drip(head, ' '))).toEqual([408])
  })

  it('so is a body that comes chunk by chunk', async () => {
    const head = claim()
      .split(END)[0]
      ?.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
    expect(statuses(await drip(`${head}${END}`, '1\r\n \r\n'))).toEqual([408])
  })
})

describe('half-hearted clients', () => {
  serveEach()

  it('a client that has closed its side still gets its answers', async () => {
    expect(statuses(await halfClosed(served.port, claim() + claim()))).toEqual([204, 204])
  })

  it('two hundred connections that say nothing keep nobody from being answered', async () => {
    const silent = Array.from({ length: 200 }, () => connect(served.port, '127.0.0.1').on('error', () => {}))
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    expect(await served.post('/v1/jobs/claim', { fingerprint: 'f' })).toMatchObject({ status: 204 })
    for (const socket of silent) socket.destroy()
  })

  it.each([
    ['a head', 'GET /livez HTTP/1.1\r\nHost: here\r\nX: y'],
    ['the name of a header', 'GET /livez HTTP/1.1\r\nHost: here\r\nX'],
    ['the blank line after it', 'GET /livez HTTP/1.1\r\nHost: here\r\n\r'],
    ['a body', `POST /v1/jobs/claim HTTP/1.1\r\nHost: here\r\nContent-Length: 19${END}{"finger`],
    ['a chunk', `POST /v1/jobs/claim HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked${END}13\r\n{"f`],
    ['the last chunk', `POST /v1/jobs/claim HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked${END}0\r\n`],
  ])('one that closes it in the middle of %s gets the answers before, and 400', async (_, bytes) => {
    const half = bytes.replace('\r\nHost', `\r\nAuthorization: Bearer ${served.key}\r\nHost`)
    expect(statuses(await halfClosed(served.port, claim() + half))).toEqual([204, 400])
    expect(statuses(await halfClosed(served.port, half))).toEqual([400])
  })

  it('a head of 1 MiB is 431, ends the connection and is not read to its end', async () => {
    const accepted = acceptedSocket()
    const socket = connect(served.port, '127.0.0.1')
    const heard = untilClosed(socket)
    socket.write('GET /livez HTTP/1.1\r\nHost: here\r\n')
    const piece = `X: ${'x'.repeat(PIECE - 5)}\r\n`
    for (let written = 0; written < MIB; written += piece.length) socket.write(piece)
    expect(statuses(await heard)).toEqual([431])
    expect(socket.bytesWritten).toBeGreaterThan(MIB)
    expect((await accepted).bytesRead).toBeLessThan(MIB / 2)
  })
})

describe('a client that goes on sending after what cannot be read', () => {
  serveEach()

  /** Sends bytes, then more bytes `pieces` times with pauses, and waits until the connection is closed. */
  async function goingOn(pieces: number, piece: string, pauseMs: number) {
    const socket = connect(served.port, '127.0.0.1')
    const faults: unknown[] = []
    socket.on('error', (error) => faults.push(error))
    let said = ''
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const begun = performance.now()
    // The client's side stays open after the service has closed its side.
    socket.allowHalfOpen = true
    socket.write(`NONSENSE${END}`)
    for (let sent = 0; sent < pieces && !socket.destroyed; sent += 1) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      socket.write(piece)
    }
    socket.end()
    await closed
    return { said, faults, ms: performance.now() - begun }
  }

  it('gets its answer, and no reset', async () => {
    const { said, faults } = await goingOn(20, 'x'.repeat(PIECE), 5)
    expect(faults).toEqual([])
    expect(statuses(said)).toEqual([400])
  })

  it('is not listened to for long', async () => {
    const { said, ms } = await goingOn(500, 'x', 20)
    expect(statuses(said)).toEqual([400])
    expect(ms).toBeLessThan(5000)
  })
})

describe('bodies that grow when they are unpacked', () => {
  serveEach()

  const UNPACKED = 64 * MIB
  const zeros = Buffer.alloc(UNPACKED, ' ')
  const BOMBS: readonly (readonly [string, Buffer])[] = [
    ['gzip', gzipSync(zeros, { level: 9 })],
    ['deflate', deflateSync(zeros, { level: 9 })],
    ['br', brotliCompressSync(zeros)],
  ]
  const TYPES = ['application/json', 'application/x-www-form-urlencoded']
  const ROUTES = [
    '/v1/jobs/claim',
    '/v1/telemetry/heartbeat',
    '/v1/jobs/j/logs',
    '/v1/license/activate',
    '/api/chat',
    '/login',
  ]

  it.each(BOMBS)(
    '64 MiB as %s are not unpacked: 400 on every route that hosts and visitors call',
    async (coding, bomb) => {
      for (const path of ROUTES) {
        for (const type of TYPES) {
          const headers = { 'content-encoding': coding, 'content-type': type }
          const { status, body } = await served.post(path, bomb, headers)
          expect([path, status, body]).toEqual([path, 400, { error: 'invalid JSON body' }])
        }
      }
    },
  )

  it('a hundred of them at once cost the process no more memory than as many broken bodies of their size', async () => {
    await using victim = await HelperProcess.start('victim.ts', 'postgresql')
    const { port, key } = await victim.ask<Scene>('stage')
    const post = (path: string, type: string, body: Buffer, coding: string) => {
      const headers = { authorization: `Bearer ${key}`, 'content-encoding': coding, 'content-type': type }
      return exchange(port, { method: 'POST', path, body, headers })
    }
    const volley = async (bodies: typeof BOMBS) => {
      const places = ROUTES.flatMap((path) => TYPES.map((type) => [path, type] as const))
      const sent = [...bodies, ...bodies, ...bodies].flatMap(([coding, body]) =>
        places.map(([path, type]) => post(path, type, body, coding)),
      )
      const heard = new Set((await Promise.all(sent)).map(({ status }) => status))
      return { statuses: heard, weight: await victim.ask<Weight>('weigh') }
    }
    const broken = await volley(BOMBS.map(([, bomb]) => ['identity', Buffer.alloc(bomb.length, '?')]))
    const bombs = await volley(BOMBS)
    expect(bombs.weight.peak - broken.weight.peak).toBeLessThan(UNPACKED)
    expect(bombs.statuses).toEqual(new Set([400]))
    expect(broken.statuses).toEqual(new Set([400]))
  }, 120_000)
})
