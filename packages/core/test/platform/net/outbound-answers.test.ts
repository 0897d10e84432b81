import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { type FarSide, farSide, rawFarSide } from '../../../../../test/support/far-side.ts'
import { createOutbound, type Outbound } from '../../../src/platform/net/outbound.ts'
import type { OutboundLimits, OutboundRequest } from '../../../src/platform/net/outbound-request.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

function outbound(limits: Partial<OutboundLimits> = {}): Outbound {
  const resolver = new ScriptedResolver({ 'far.example': [['127.0.0.1']] })
  return createOutbound({ resolver, allow: ['127.0.0.0/8'], limits })
}

function call(client: Outbound, far: FarSide, request: OutboundRequest = {}) {
  return client.request(`http://far.example:${far.port}/`, { plainHttp: true, ...request })
}

async function answerTo(talk: (socket: Socket) => void, limits: Partial<OutboundLimits> = {}) {
  await using far = await rawFarSide(talk)
  await using client = outbound(limits)
  return await call(client, far)
}

const HEAD = 'HTTP/1.1 200 OK\r\n'

/** Writes for as long as the other side reads. */
function writeForEver(socket: Socket, piece: string): void {
  const more = () => {
    if (socket.destroyed) return
    socket.write(piece)
    setImmediate(more)
  }
  more()
}

describe('an exchange', () => {
  test('sends method, headers and body as they were given, without inviting compression or cookies', async () => {
    await using far = await farSide((_request, response) =>
      response.writeHead(201, { 'x-answer': 'yes', 'set-cookie': 'a=b' }).end('made'),
    )
    await using client = outbound()
    const headers = { 'Content-Type': 'text/plain', 'X-Signature': 'v1,abc' }
    const answer = await call(client, far, { method: 'POST', headers, body: 'grüße' })
    if (!answer.ok) throw new Error(answer.refusal)
    expect([answer.status, answer.headers.get('x-answer'), Buffer.from(answer.body).toString()]).toEqual([
      201,
      'yes',
      'made',
    ])
    await call(client, far)
    expect(far.seen).toMatchObject([
      {
        method: 'POST',
        body: 'grüße',
        headers: { 'content-type': 'text/plain', 'x-signature': 'v1,abc', 'content-length': '7' },
      },
      { method: 'GET', body: '' },
    ])
    expect(far.seen[0]?.headers).toMatchObject({ 'accept-encoding': 'identity', connection: 'close' })
    expect(far.seen[1]?.headers).not.toHaveProperty('cookie')
  })

  test('brings an answer of any status as a value', async () => {
    await using far = await farSide((request, response) =>
      response.writeHead(Number(request.headers['x-want'])).end(),
    )
    await using client = outbound()
    for (const status of [204, 304, 404, 429, 500, 599]) {
      expect(await call(client, far, { headers: { 'x-want': `${status}` } })).toMatchObject({
        ok: true,
        status,
      })
    }
  })

  test('reads no body for HEAD, whatever length is announced', async () => {
    await using far = await farSide((_request, response) =>
      response.writeHead(200, { 'content-length': '99999999' }).end(),
    )
    await using client = outbound({ maxBytes: 10 })
    expect(await call(client, far, { method: 'HEAD' })).toMatchObject({ ok: true, body: Buffer.alloc(0) })
  })

  test('leaves a compressed body as it came, so that it cannot grow', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    await using far = await farSide((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    await using client = outbound({ maxBytes: 10_000 })
    expect(await call(client, far)).toMatchObject({ ok: true, body: bomb })
  })

  test('takes a body up to the cap and not a byte more', async () => {
    await using far = await farSide((_request, response) => response.end('x'.repeat(1_000)))
    await using client = outbound({ maxBytes: 1_000 })
    expect(await call(client, far)).toMatchObject({ ok: true })
    expect(await call(client, far, { maxBytes: 999 })).toEqual({ ok: false, refusal: 'too-large' })
    expect(await call(client, far, { maxBytes: 5_000 })).toMatchObject({ ok: true })
  })

  test.each([{ maxBytes: 5_000 }, { maxBytes: Number.POSITIVE_INFINITY }])(
    'is held to the cap of the client when a request asks for more: %j',
    async (request) => {
      await using far = await farSide((_request, response) => response.end('x'.repeat(1_001)))
      await using client = outbound({ maxBytes: 1_000 })
      expect(await call(client, far, request)).toEqual({ ok: false, refusal: 'too-large' })
    },
  )
})

describe('a far side that means no good', () => {
  test('and never answers is given up after the time for an answer', async () => {
    expect(await answerTo(() => {}, { answerMs: 30 })).toEqual({ ok: false, refusal: 'timeout' })
  })

  test('and sends its head bit by bit is given up after the time for an answer', async () => {
    const slow = (socket: Socket) => {
      socket.write(HEAD)
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 5)
      socket.on('close', () => clearInterval(drip))
    }
    expect(await answerTo(slow, { answerMs: 60 })).toEqual({ ok: false, refusal: 'timeout' })
  })

  test('and sends its body bit by bit is given up after the whole time', async () => {
    const slow = (socket: Socket) => {
      socket.write(`${HEAD}content-length: 100000\r\n\r\n`)
      const drip = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(drip))
    }
    expect(await answerTo(slow, { totalMs: 60 })).toEqual({ ok: false, refusal: 'timeout' })
  })

  test('and sends interim answers for ever is given up after the time for an answer', async () => {
    const interim = (socket: Socket) => writeForEver(socket, 'HTTP/1.1 102 Processing\r\n\r\n')
    expect(await answerTo(interim, { answerMs: 60 })).toEqual({ ok: false, refusal: 'timeout' })
  })

  test.each([
    ['chunked', 'transfer-encoding: chunked\r\n\r\n', `1000\r\n${'x'.repeat(4_096)}\r\n`],
    ['until the connection closes', '\r\n', 'x'.repeat(4_096)],
  ])('and sends a body without end (%s) is cut off at the cap', async (_how, head, piece) => {
    const endless = (socket: Socket) => {
      socket.write(`${HEAD}${head}`)
      writeForEver(socket, piece)
    }
    expect(await answerTo(endless, { maxBytes: 100_000 })).toEqual({ ok: false, refusal: 'too-large' })
  })

  test('and announces too large a body is not listened to', async () => {
    const announce = (socket: Socket) => socket.write(`${HEAD}content-length: 1048577\r\n\r\n`)
    expect(await answerTo(announce)).toEqual({ ok: false, refusal: 'too-large' })
  })

  test.each([
    ['one', `x-long: ${'x'.repeat(70_000)}\r\n`],
    ['many', 'x-many: 1\r\n'.repeat(7_000)],
  ])('and sends huge headers (%s) is refused', async (_how, headers) => {
    const huge = (socket: Socket) => socket.write(`${HEAD}${headers}\r\n`)
    expect(await answerTo(huge)).toEqual({ ok: false, refusal: 'too-large' })
  })

  test('and sends headers without end is refused', async () => {
    const endless = (socket: Socket) => {
      socket.write(HEAD)
      writeForEver(socket, 'x-many: 1\r\n'.repeat(50))
    }
    expect(await answerTo(endless)).toEqual({ ok: false, refusal: 'too-large' })
  })

  test('and sends trailers without end is refused', async () => {
    const endless = (socket: Socket) => {
      socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`)
      writeForEver(socket, 'x-many: 1\r\n'.repeat(50))
    }
    expect(await answerTo(endless)).toEqual({ ok: false, refusal: 'too-large' })
  })

  test.each([
    ['a body shorter than announced', `${HEAD}content-length: 10\r\n\r\nshort`],
    ['a chunked body without its end', `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`],
    [
      'a chunked body without its end, as announced',
      `${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`,
    ],
    ['half a head', `${HEAD}x-half`],
    ['nothing', ''],
  ])('and hangs up after %s brings no answer', async (_what, text) => {
    expect(await answerTo((socket) => socket.end(text))).toEqual({ ok: false, refusal: 'broken' })
  })

  test.each(['', HEAD, `${HEAD}content-length: 10\r\n\r\nshort`])(
    'and resets the connection after %j brings no answer',
    async (text) => {
      const reset = (socket: Socket) => socket.write(text, () => socket.resetAndDestroy())
      expect(await answerTo(reset)).toEqual({ ok: false, refusal: 'broken' })
    },
  )

  test.each([
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['bytes', '\u0000\u0001\u0002\r\n\r\n'],
    ['a header with a NUL', `${HEAD}x-nul: a\u0000b\r\n\r\n`],
    ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ['length and chunks', `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a negative length', `${HEAD}content-length: -1\r\n\r\n`],
    ['a chunk of no size', `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ])('and speaks %s is not understood', async (_what, text) => {
    expect(await answerTo((socket) => socket.end(text))).toEqual({ ok: false, refusal: 'protocol' })
  })

  test('and switches protocols gets no connection to keep', async () => {
    const upgrade = (socket: Socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
    expect(await answerTo(upgrade, { answerMs: 500 })).toMatchObject({
      ok: false,
      refusal: expect.stringMatching(/protocol|broken/),
    })
  })

  test('and sends a header named __proto__ changes nothing but that header', async () => {
    const answer = await answerTo((socket) =>
      socket.end(`${HEAD}__proto__: x\r\nconstructor: y\r\ncontent-length: 0\r\n\r\n`),
    )
    if (!answer.ok) throw new Error(answer.refusal)
    expect([...answer.headers]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['content-length', '0'],
    ])
  })

  test('and takes no connection is refused as connect', async () => {
    const far = await farSide()
    await far[Symbol.asyncDispose]()
    await using client = outbound()
    expect(await call(client, far)).toEqual({ ok: false, refusal: 'connect' })
  })
})
