import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { exchange, rawExchange } from '../../../../test/support/exchange.ts'
import { type Mount, type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { createApp, type ListenOptions, listen } from '../../src/index.ts'

const IMPATIENT = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 }

const listening =
  (options: Partial<ListenOptions> = {}): Mount =>
  async ({ plane }) => {
    const server = await listen(createApp(plane), { host: '127.0.0.1', port: 0, ...options } as ListenOptions)
    return { port: server.port, stop: () => server.cut() }
  }

let served: Mounted
beforeEach(async () => {
  served = await mounted(listening({ patience: IMPATIENT }))
})
afterEach(() => served[Symbol.asyncDispose]())

const END = '\r\n\r\n'
const raw = (...lines: string[]) => rawExchange(served.port, `${lines.join('\r\n')}${END}`)
const bodyOf = (answer: string): unknown => JSON.parse(answer.split(END)[1] ?? '')
const statusOf = (answer: string) => Number(answer.split(' ')[1])
const HOST = 'Host: here'
const CLOSE = 'Connection: close'

describe('what no request was made of', () => {
  it.each([
    ['nonsense', ['NONSENSE']],
    ['an unknown method', ['BREW /v1/jobs/claim HTTP/1.1', HOST]],
    ['two lengths', ['POST /v1/jobs/claim HTTP/1.1', HOST, 'Content-Length: 2', 'Content-Length: 3']],
    [
      'a length and chunks',
      ['POST /v1/jobs/claim HTTP/1.1', HOST, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
    ],
    ['a length that is no number', ['POST /v1/jobs/claim HTTP/1.1', HOST, 'Content-Length: 1e3']],
    ['a header without a name', ['GET /livez HTTP/1.1', HOST, ': x']],
    ['a folded header', ['GET /livez HTTP/1.1', HOST, 'X: a', ' b']],
    ['no Host', ['GET /livez HTTP/1.1', 'X: a']],
    ['two Hosts', ['GET /livez HTTP/1.1', HOST, 'Host: elsewhere']],
    ['one Host twice', ['GET /livez HTTP/1.1', HOST, HOST.toUpperCase()]],
    ['two Hosts of an old client', ['GET /livez HTTP/1.0', HOST, 'host: elsewhere']],
    ['a blank in the path', ['GET /live z HTTP/1.1', HOST]],
    ['another protocol', ['GET /livez HTTP/9.9', HOST]],
  ])('%s: 400 as JSON, and the connection ends', async (_, lines) => {
    const answer = await raw(...lines)
    expect(statusOf(answer)).toBe(400)
    expect(bodyOf(answer)).toEqual({ error: 'bad request' })
    expect(answer).toMatch(/^Connection: close\r$/m)
    expect(answer).toMatch(/^Cache-Control: no-store\r$/m)
    expect(answer).toMatch(/^Svc-Request-Id: req_/m)
  })

  it('headers over 16 KB: 431', async () => {
    const answer = await raw('GET /livez HTTP/1.1', HOST, `X: ${'x'.repeat(17_000)}`)
    expect(statusOf(answer)).toBe(431)
    expect(bodyOf(answer)).toEqual({ error: 'request header fields too large' })
  })

  it('more than 100 headers: 431', async () => {
    const many = Array.from({ length: 150 }, (_, index) => `X-${index}: x`)
    expect(statusOf(await raw('GET /livez HTTP/1.1', HOST, ...many))).toBe(431)
  })

  it('a head that does not end in time: 408', async () => {
    const answer = await rawExchange(served.port, 'GET /livez HTTP/1.1\r\nHost: here\r\n')
    expect(statusOf(answer)).toBe(408)
    expect(bodyOf(answer)).toEqual({ error: 'request timeout' })
  })

  it('a body that does not end in time: 408', async () => {
    const answer = await raw(
      'POST /v1/jobs/claim HTTP/1.1',
      HOST,
      `Authorization: Bearer ${served.key}`,
      'Content-Length: 99',
    )
    expect(statusOf(answer)).toBe(408)
  })

  it('a chunk that is none, in the middle of a body: 400', async () => {
    const head = ['POST /v1/jobs/claim HTTP/1.1', HOST, `Authorization: Bearer ${served.key}`]
    const answer = await raw(...head, 'Transfer-Encoding: chunked', '', 'zz')
    expect(statusOf(answer)).toBe(400)
  })

  it('CONNECT: 405, for this is no proxy', async () => {
    expect(statusOf(await raw('CONNECT example.com:443 HTTP/1.1', HOST))).toBe(405)
  })
})

describe('unusual requests that are requests', () => {
  it('an absolute address is a path', async () => {
    const answer = await raw('GET http://elsewhere/livez HTTP/1.1', HOST, CLOSE)
    expect(statusOf(answer)).toBe(200)
    expect(statusOf(await raw('GET http://elsewhere HTTP/1.1', HOST, CLOSE))).toBe(404)
    expect(statusOf(await raw('GET http://%41/livez HTTP/1.1', HOST, CLOSE))).toBe(200)
  })

  it('OPTIONS * is no path', async () => {
    expect(statusOf(await raw('OPTIONS * HTTP/1.1', HOST, CLOSE))).toBe(404)
  })

  it('HTTP/1.0 needs no Host', async () => {
    expect(statusOf(await raw('GET /livez HTTP/1.0'))).toBe(200)
  })

  it('an expectation that is unknown is passed over', async () => {
    expect(statusOf(await raw('GET /livez HTTP/1.1', HOST, CLOSE, 'Expect: miracles'))).toBe(200)
  })

  it('two in one packet get two answers in order', async () => {
    const one = `GET /livez HTTP/1.1\r\n${HOST}${END}`
    const two = `GET /nothing HTTP/1.1\r\n${HOST}\r\n${CLOSE}${END}`
    const answers = await rawExchange(served.port, one + two)
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404'])
  })
})

describe('a client that leaves', () => {
  it('in the middle of its body is not answered, and nothing is logged as a fault', async () => {
    const socket = connect(served.port, '127.0.0.1')
    const head = [
      'POST /v1/jobs/claim HTTP/1.1',
      HOST,
      `Authorization: Bearer ${served.key}`,
      'Content-Length: 99',
    ]
    const gone = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`${head.join('\r\n')}${END}{`, () => socket.resetAndDestroy())
    await gone
    expect(await exchange(served.port, { path: '/livez' })).toMatchObject({ status: 200 })
    expect(served.log.messages('error')).toEqual([])
  })
})

describe('too many connections', () => {
  it('are dropped beyond the limit', async () => {
    await using limited = await mounted(listening({ maxConnections: 1 }))
    const first = connect(limited.port, '127.0.0.1')
    await new Promise((resolve) => first.once('connect', resolve))
    const second = connect(limited.port, '127.0.0.1')
    const closed = new Promise((resolve) => second.once('close', resolve))
    second.resume()
    await closed
    first.destroy()
  })
})
