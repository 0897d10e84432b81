// Bodies as bytes, through a route with a signature as git hosts and payment providers send it.
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { Problem, sameSecret } from '@svc/core'
import { exchange, rawExchange } from '../../../../test/support/exchange.ts'
import type { Mount } from '../../../../test/support/mounted.ts'
import { parseJson } from '../../src/exchange/body/json-text.ts'
import { sharedSecret } from '../../src/gates/shared-secret.ts'
import { createApp, json, listen, rawBody, route } from '../../src/index.ts'
import { serving } from '../support/serving.ts'

const MAX_BYTES = 1000
const PATH = '/hook'
const signatureOf = (bytes: string | Buffer) =>
  `sha256=${createHmac('sha256', 'secret').update(bytes).digest('hex')}`

/** The bodies that were verified, in hexadecimal. */
const verified: string[] = []

const hook = route({
  method: 'POST',
  path: PATH,
  summary: 'Takes what its sender has signed.',
  gate: sharedSecret({ scheme: 'sharedSecret', secretOf: () => undefined, whenUnset: 'admit' }),
  body: rawBody({
    maxBytes: MAX_BYTES,
    types: ['application/json', 'application/x-www-form-urlencoded'],
    verify: (bytes, { headers, plane }) => {
      verified.push(bytes.toString('hex'))
      if (!sameSecret(String(headers['x-hub-signature-256']), signatureOf(bytes))) {
        throw new Problem('unauthorized')
      }
      return { bytes, mode: plane.config.service.production }
    },
  }),
  replies: { 200: { description: 'Taken.' }, 400: { description: 'Not to be parsed.' } },
  handle: ({ body, headers }) => {
    if (headers['content-type'] === 'text/plain') return json({ hex: body.bytes.toString('hex') })
    const text = body.bytes.toString()
    const form = headers['content-type'] === 'application/x-www-form-urlencoded'
    return json({ value: parseJson(form ? (new URLSearchParams(text).get('payload') ?? '') : text) })
  },
})

const shut = route({
  method: 'POST',
  path: '/shut',
  summary: 'Admits nobody.',
  gate: sharedSecret({ scheme: 'sharedSecret', secretOf: () => undefined, whenUnset: 'refuse' }),
  body: rawBody({ maxBytes: MAX_BYTES, verify: (bytes) => verified.push(bytes.toString('hex')) }),
  replies: {},
  handle: () => json({}),
})

const IMPATIENT = { headersTimeout: 400, requestTimeout: 400, connectionsCheckingInterval: 50 }
const impatient: Mount = async ({ plane }) => {
  const app = createApp(plane, { routes: [hook, shut], maxBytesInFlight: 2 * MAX_BYTES })
  const server = await listen(app, { host: '127.0.0.1', port: 0, patience: IMPATIENT })
  return { port: server.port, stop: () => server.cut() }
}

const served = serving({}, impatient)
const send = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, path = PATH) =>
  served().send({
    method: 'POST',
    path,
    body,
    headers: { 'x-hub-signature-256': signatureOf(body), 'content-type': 'text/plain', ...headers },
  })
const head = (lines: readonly string[]) =>
  `${[`POST ${PATH} HTTP/1.1`, 'Host: here', ...lines].join('\r\n')}\r\n\r\n`

describe('a body as bytes', () => {
  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['invalid UTF-8', Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x00])],
    ['a byte order mark', Buffer.from('\ufeff{"a":1}')],
    ['line ends of all kinds', Buffer.from('{\r\n"a" :\t1}\n\r')],
    ['hostile keys and escapes', Buffer.from('{"__proto__":{},"a":"\\u0000"}')],
  ])('arrives byte for byte: %s', async (_, bytes) => {
    expect(await send(bytes)).toMatchObject({ status: 200, body: { hex: bytes.toString('hex') } })
  })

  it.each([1, 7])('arrives byte for byte in chunks of %i bytes', async (size) => {
    const bytes = Buffer.from('\ufeff{"päth":\r\n"ü"}\xff', 'latin1')
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; at += size) {
      const chunk = bytes.subarray(at, at + size)
      chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
    }
    const lines = ['Transfer-Encoding: chunked', 'Content-Type: text/plain', 'Connection: close']
    const start = Buffer.from(head([...lines, `X-Hub-Signature-256: ${signatureOf(bytes)}`]))
    const answer = await rawExchange(
      served().port,
      Buffer.concat([start, ...chunks, Buffer.from('0\r\n\r\n')]),
    )
    expect(answer).toContain(JSON.stringify({ hex: bytes.toString('hex') }))
  })

  it('is whole if it is long: a long body gets turns of its own', async () => {
    const bytes = Buffer.alloc(300_000, 'é')
    const got: Buffer[] = []
    const body = rawBody({ maxBytes: bytes.length, verify: (all) => got.push(all) })
    const long = route({ ...hook, path: '/long', body, handle: () => json({}) })
    await using server = await listen(createApp(served().plane, { routes: [long] }), {
      host: '127.0.0.1',
      port: 0,
    })
    expect(await exchange(server.port, { method: 'POST', path: '/long', body: bytes })).toMatchObject({
      status: 200,
    })
    expect(got.map((each) => each.equals(bytes))).toEqual([true])
  })

  it('may be a document or a form, which the route parses once the signature is good', async () => {
    const value = { ref: 'refs/heads/main', commits: [] }
    const asJson = JSON.stringify(value, undefined, 2)
    expect(await send(asJson, { 'content-type': 'application/json' })).toMatchObject({ body: { value } })
    const form = new URLSearchParams({ payload: asJson }).toString()
    expect(await send(form, { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
      body: { value },
    })
  })

  it('is verified before anything parses it: a bad signature of broken JSON is 401, a good one 400', async () => {
    const type = { 'content-type': 'application/json' }
    expect(await send('{', { ...type, 'x-hub-signature-256': 'sha256=00' })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    })
    expect(await send('{', type)).toMatchObject({ status: 400, body: { error: 'invalid JSON body' } })
  })

  it('is not read before the gate: a caller without a credential sends it for nothing', async () => {
    verified.length = 0
    expect(await send('x', {}, '/shut')).toMatchObject({ status: 401 })
    expect(verified).toEqual([])
  })

  it('that is compressed is refused, as on every route', async () => {
    verified.length = 0
    expect(await send('x', { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      body: { error: 'invalid JSON body' },
    })
    expect(verified).toEqual([])
    expect(await send('x', { 'content-encoding': 'identity' })).toMatchObject({ status: 200 })
  })
})

describe('a body of bytes over its limit', () => {
  it('passes at the limit, and is 413 one byte above it', async () => {
    expect(await send('x'.repeat(MAX_BYTES))).toMatchObject({ status: 200 })
    expect(await send('x'.repeat(MAX_BYTES + 1))).toMatchObject({
      status: 413,
      body: { error: 'payload too large' },
    })
  })

  it.each([
    ['by its declared length, before a byte has come', ['Content-Length: 1001'], ''],
    ['in chunks, before it has ended', ['Transfer-Encoding: chunked'], `3e9\r\n${'x'.repeat(1001)}\r\n`],
  ])('is 413 %s', async (_, lines, sent) => {
    verified.length = 0
    const socket = connect(served().port, '127.0.0.1')
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    socket.write(head(lines) + sent)
    expect(await answered).toMatch(/^HTTP\/1\.1 413 /)
    expect(verified).toEqual([])
    socket.destroy()
  })

  it('of all requests together is 503, and each gives back what it held', async () => {
    for (let count = 0; count < 5; count += 1) {
      expect(await send('x'.repeat(MAX_BYTES))).toMatchObject({ status: 200 })
      expect(await send('x', { 'x-hub-signature-256': '' })).toMatchObject({ status: 401 })
    }
  })
})

describe('a client that stops half-way', () => {
  const HALF = `${head(['Content-Length: 99'])}half`

  it('is told so after the time that a request may take, and its connection ends', async () => {
    verified.length = 0
    expect(await rawExchange(served().port, HALF)).toMatch(/^HTTP\/1\.1 408 /)
    expect(verified).toEqual([])
  })

  it('and leaves is not waited for, and what it held is given back', async () => {
    verified.length = 0
    for (let count = 0; count < 5; count += 1) {
      const socket = connect(served().port, '127.0.0.1')
      const gone = new Promise((resolve) => socket.once('close', resolve))
      const half = 'x'.repeat(MAX_BYTES - 1)
      socket.write(head([`Content-Length: ${MAX_BYTES}`]) + half, () => socket.resetAndDestroy())
      await gone
    }
    expect(await send('x'.repeat(MAX_BYTES))).toMatchObject({ status: 200 })
    expect(verified).toHaveLength(1)
    expect(served().log.messages('error')).toEqual([])
  })
})
