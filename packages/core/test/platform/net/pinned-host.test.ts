import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { pinnedDialler } from '../../../src/platform/net/pinned-host.ts'

const LOOPBACK = ['127.0.0.0/8']
const signal = new AbortController().signal
let server: Server
let port: number
const asked: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`)
    if (request.url === '/long') response.end('x'.repeat(100_000))
    else if (request.url === '/broken') response.destroy()
    else response.writeHead(302, { location: 'http://127.0.0.1/' }).end('moved')
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

describe('the addresses of a name', () => {
  const dialler = pinnedDialler()

  it.each([
    ['loopback', ['127.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['a private one beside a public one', ['11.22.33.44', '10.0.0.1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['one in another spelling', ['0x7f.1']],
    ['a NAT64 address of loopback', ['64:ff9b::7f00:1']],
    ['none', []],
  ])('%s pins nothing', (_, addresses) => {
    expect(dialler.pin('shop.example', addresses)).toBeUndefined()
  })

  it('at most four of IPv4 and two of IPv6 are kept, each once', () => {
    const four = [1, 2, 3, 4, 5].map((last) => `11.22.33.${last}`)
    const six = [1, 2, 3].map((last) => `2600:1234::${last}`)
    const pinned = dialler.pin('shop.example', [...six, ...four, ...four])
    expect(pinned?.addresses).toEqual([...four.slice(0, 4), ...six.slice(0, 2)])
  })

  it('the machine’s own ones and refused ranges pin nothing', () => {
    const own = pinnedDialler({ own: () => ['11.22.33.44'], refuse: ['11.22.34.0/24'] })
    expect(own.pin('a.example', ['11.22.33.44'])).toBeUndefined()
    expect(own.pin('a.example', ['11.22.34.1'])).toBeUndefined()
    expect(own.pin('a.example', ['11.22.33.45'])).toBeDefined()
  })
})

describe('a place', () => {
  const dialler = pinnedDialler({ allow: LOOPBACK })
  const options = { timeoutMs: 1000, signal }

  it('that was not pinned is not dialled, whoever says that it was', async () => {
    const forged = { name: 'a.example', addresses: ['127.0.0.1'] }
    const place = { host: forged, address: '127.0.0.1', port }
    await expect(dialler.dial(place, options)).rejects.toThrow(TypeError)
    const pinned = dialler.pin('a.example', ['127.0.0.1']) ?? forged
    await expect(dialler.dial({ host: pinned, address: '127.0.0.2', port }, options)).rejects.toThrow(
      TypeError,
    )
    const other = pinnedDialler({ allow: LOOPBACK }).pin('a.example', ['127.0.0.1']) ?? forged
    await expect(dialler.dial({ host: other, address: '127.0.0.1', port }, options)).rejects.toThrow(
      TypeError,
    )
    expect(() => (pinned.addresses as string[]).push('127.0.0.2')).toThrow()
  })

  it('is open or closed', async () => {
    const host = dialler.pin('a.example', ['127.0.0.1'])
    if (host === undefined) throw new Error('not pinned')
    const dialled = await dialler.dial({ host, address: '127.0.0.1', port }, options)
    if (dialled.state === 'open') dialled.socket.destroy()
    expect(dialled.state).toBe('open')
    const closed = await dialler.dial({ host, address: '127.0.0.1', port: 1 }, options)
    expect(closed).toEqual({ state: 'closed' })
  })
})

describe('a request to a pinned address', () => {
  const dialler = pinnedDialler({ allow: LOOPBACK })
  const get = (path: string, more: object = {}) => {
    const host = dialler.pin('a.example', ['127.0.0.1'])
    if (host === undefined) throw new Error('not pinned')
    const place = { host, address: '127.0.0.1', port, isSecure: false }
    return dialler.request({ ...place, path, timeoutMs: 2000, maxBytes: 1000, signal, ...more })
  }

  it('carries the name, and follows nothing', async () => {
    const answer = await get('/one?q=//evil.example')
    expect(answer).toMatchObject({ ok: true, status: 302 })
    expect(asked.at(-1)).toBe(`GET a.example:${port} /one?q=//evil.example`)
  })

  it.each(['//evil.example/x', '/../../etc', '@evil.example', 'http://evil.example/'])(
    'the path %s leads to no other host',
    async (path) => {
      await get(path)
      expect(asked.at(-1)?.split(' ')[1]).toBe(`a.example:${port}`)
    },
  )

  it('brings the beginning of a long answer, and says why there is none', async () => {
    const long = await get('/long')
    expect(long.ok && long.body.length).toBe(1000)
    expect(await get('/broken')).toEqual({ ok: false, refusal: 'broken' })
    expect(await get('/', { port: 1 })).toEqual({ ok: false, refusal: 'connect' })
    expect(await get('/', { isSecure: true })).toEqual({ ok: false, refusal: 'tls' })
    expect(await get('/', { signal: AbortSignal.abort() })).toEqual({ ok: false, refusal: 'cancelled' })
  })
})
