// Connections as programs should not use them: what raw-http.test.ts does not try.
import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createApp, listen } from '../../src/index.ts'
import { rawExchange } from '../exchange.ts'
import { type Mount, type Mounted, mounted } from '../mounted.ts'

const IMPATIENT = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 }
const END = '\r\n\r\n'
const MIB = 1024 * 1024

const impatient: Mount = async ({ plane }) => {
  const server = await listen(createApp(plane), { host: '127.0.0.1', port: 0, patience: IMPATIENT })
  return { port: server.port, stop: () => server.cut() }
}

let served: Mounted
beforeEach(async () => {
  served = await mounted(impatient)
})
afterEach(async () => {
  expect(await served.get('/livez')).toMatchObject({ status: 200 })
  expect(served.log.messages('error')).toEqual([])
  await served[Symbol.asyncDispose]()
})

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
  it.each([
    ['nonsense', `NONSENSE${END}`, 400],
    ['a head too large', `GET / HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(20_000)}${END}`, 431],
    ['two lengths', `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nContent-Length: 2${END}`, 400],
    ['no Host', `GET /livez HTTP/1.1${END}`, 400],
    ['a tunnel', `CONNECT a:1 HTTP/1.1\r\nHost: here${END}`, 405],
    ['a head that does not end', 'GET /livez HTTP/1.1\r\nHost: here\r\n', 408],
  ])('%s is answered in its turn, after theirs', async (_, bytes, status) => {
    expect(statuses(await rawExchange(served.port, claim() + claim('{') + bytes))).toEqual([204, 400, status])
  })
})

describe('two programs that do not agree where a request ends', () => {
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

describe('slow and half-hearted clients', () => {
  /** Sends a piece every 40 ms until the server ends the connection; gives what it answered. */
  function drip(first: string, piece: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const socket = connect(served.port, '127.0.0.1', () => socket.write(first))
    const timer = setInterval(() => socket.writable && socket.write(piece), 40)
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(timer)
      resolve(heard)
    })
    return promise
  }

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

  it('a client that has closed its side still gets its answers', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const socket = connect({ port: served.port, host: '127.0.0.1' }, () => socket.end(claim() + claim()))
    let heard = ''
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
    socket.once('close', () => resolve(heard))
    expect(statuses(await promise)).toEqual([204, 204])
  })

  it('two hundred connections that say nothing keep nobody from being answered', async () => {
    const silent = Array.from({ length: 200 }, () => connect(served.port, '127.0.0.1').on('error', () => {}))
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    expect(await served.post('/v1/jobs/claim', { fingerprint: 'f' })).toMatchObject({ status: 204 })
    for (const socket of silent) socket.destroy()
  })

  it('a head of 1 MB is 431 and not read to its end', async () => {
    const socket = connect(served.port, '127.0.0.1')
    const closed = new Promise<string>((resolve) => {
      let heard = ''
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1')
      })
      socket.on('error', () => {})
      socket.once('close', () => resolve(heard))
    })
    socket.write(`GET /livez HTTP/1.1\r\nHost: here\r\nX: ${'x'.repeat(17_000)}`)
    expect(statuses(await closed)).toEqual([431])
    expect(socket.bytesWritten).toBeLessThan(MIB)
  })
})

describe('bodies that grow when they are unpacked', () => {
  const zeros = Buffer.alloc(64 * MIB, ' ')
  const ROUTES = [
    '/v1/jobs/claim',
    '/v1/telemetry/heartbeat',
    '/v1/jobs/j/logs',
    '/v1/license/activate',
    '/api/chat',
  ]

  it.each([
    ['gzip', gzipSync(zeros, { level: 9 })],
    ['deflate', deflateSync(zeros, { level: 9 })],
    ['br', brotliCompressSync(zeros)],
  ])(
    '64 MiB as %s stay what was sent: 400 on every route that hosts and visitors call',
    async (coding, bomb) => {
      for (const path of ROUTES) {
        const answer = await served.post(path, bomb, { 'content-encoding': coding })
        expect([path, [400, 413].includes(answer.status)]).toEqual([path, true])
      }
    },
  )

  it('the form of the sign-in page unpacks up to its limit and no further', async () => {
    const bomb = gzipSync(zeros, { level: 9 })
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-encoding': 'gzip', 'content-type': type }
      const answer = await served.send({ method: 'POST', path: '/login', body: bomb, headers })
      expect([type, answer.status]).toEqual([type, 413])
    }
  })
})
