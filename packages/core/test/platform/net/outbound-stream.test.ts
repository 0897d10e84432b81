import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { type FarSide, farSide, rawFarSide } from '../../../../../test/support/far-side.ts'
import { RecordingLog } from '../../../../testing/src/recording-log.ts'
import { createOutbound, type OutboundParts } from '../../../src/platform/net/outbound.ts'
import type { OutboundStream } from '../../../src/platform/net/outbound-request.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

function outbound(parts: Partial<OutboundParts> = {}) {
  const resolver = new ScriptedResolver({ 'far.example': [['127.0.0.1']] })
  return createOutbound({ resolver, allow: ['127.0.0.0/8'], ...parts })
}

const urlOf = (far: FarSide) => `http://far.example:${far.port}/`

/** Returns the answer once its head has arrived; fails the test otherwise. */
function begun(answer: OutboundStream) {
  if (!answer.ok) throw new Error(answer.refusal)
  return answer
}

/** Returns the text that was read before the body broke, and the error. */
async function readThrough(answer: OutboundStream) {
  const parts: string[] = []
  try {
    for await (const bytes of begun(answer).body) parts.push(Buffer.from(bytes).toString())
    return { text: parts.join('') }
  } catch (error) {
    return { text: parts.join(''), refusal: (error as { refusal?: unknown }).refusal }
  }
}

/**
 * Sends the head and some bytes, then nothing more; `gone` settles when the caller has closed the connection.
 */
function stalling() {
  const gone = Promise.withResolvers<void>()
  const talk = (_request: unknown, response: ServerResponse) => {
    response.on('close', () => gone.resolve())
    response.write('first')
  }
  return { talk, gone: gone.promise }
}

function endless(_request: unknown, response: ServerResponse): void {
  const more = () => response.write('x'.repeat(1_000), () => response.destroyed || setImmediate(more))
  more()
}

describe('a streamed call', () => {
  test('answers with the head before the body is there, and gives the body as it comes', async () => {
    const rest = Promise.withResolvers<void>()
    await using far = await farSide(async (_request, response) => {
      response.writeHead(201, { 'x-answer': 'yes' }).write('one ')
      await rest.promise
      response.end('two')
    })
    await using client = outbound()
    const answer = begun(await client.stream(urlOf(far), { plainHttp: true }))
    expect([answer.status, answer.headers.get('x-answer')]).toEqual([201, 'yes'])
    const parts: string[] = []
    for await (const bytes of answer.body) {
      parts.push(Buffer.from(bytes).toString())
      rest.resolve()
    }
    expect(parts).toEqual(['one ', 'two'])
  })

  test.each<[string, Partial<OutboundParts>, string]>([
    ['an address that is not public', { allow: [] }, 'not-public'],
    ['a range that is refused', { refuse: ['127.0.0.1'] }, 'not-public'],
    ['a name without an address', { resolver: new ScriptedResolver({}) }, 'unresolved'],
  ])('is judged as every call is: %s', async (_what, parts, refusal) => {
    await using far = await farSide()
    await using client = outbound(parts)
    expect(await client.stream(urlOf(far), { plainHttp: true })).toEqual({ ok: false, refusal })
    expect(far.connections()).toBe(0)
  })

  test('goes to the address that was judged, and a name that turns to another is judged anew', async () => {
    await using first = await farSide(undefined, { host: '127.0.0.2' })
    await using second = await farSide(undefined, { host: '127.0.0.3', port: first.port })
    const resolver = new ScriptedResolver({ 'far.example': [['127.0.0.2'], ['127.0.0.3']] })
    await using client = outbound({ resolver, allow: ['127.0.0.2'] })
    expect(await readThrough(await client.stream(urlOf(first), { plainHttp: true }))).toEqual({
      text: 'hello',
    })
    expect(await client.stream(urlOf(first), { plainHttp: true })).toEqual({
      ok: false,
      refusal: 'not-public',
    })
    expect([first.connections(), second.connections()]).toEqual([1, 0])
  })

  test('follows no redirect', async () => {
    await using aim = await farSide()
    await using far = await farSide((_request, response) =>
      response.writeHead(307, { location: urlOf(aim) }).end(),
    )
    await using client = outbound()
    const answer = await client.stream(urlOf(far), { plainHttp: true, method: 'POST', body: 's3cret' })
    expect(answer).toEqual({ ok: false, refusal: 'redirect' })
    expect(aim.connections()).toBe(0)
  })

  test('gives no byte beyond the cap of the whole stream', async () => {
    await using far = await farSide(endless)
    await using client = outbound()
    const { text, refusal } = await readThrough(
      await client.stream(urlOf(far), { plainHttp: true, maxBytes: 100_000 }),
    )
    expect(refusal).toBe('too-large')
    expect(text.length).toBeLessThanOrEqual(100_000)
  })

  test('refuses a body that announces more than the cap', async () => {
    await using far = await rawFarSide((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n'),
    )
    await using client = outbound()
    expect(await client.stream(urlOf(far), { plainHttp: true, maxBytes: 10 })).toEqual({
      ok: false,
      refusal: 'too-large',
    })
  })

  test('tells a connection that broke apart from a body that ended', async () => {
    await using far = await farSide((_request, response) => response.write('half', () => response.destroy()))
    await using client = outbound()
    expect(await readThrough(await client.stream(urlOf(far), { plainHttp: true }))).toEqual({
      text: 'half',
      refusal: 'broken',
    })
  })

  test('waits for a silent body no longer than the time for silence, however slow its reader is', async () => {
    await using far = await farSide((_request, response) => {
      response.write('one')
      setTimeout(() => response.write('two'), 20)
    })
    await using client = outbound({ limits: { idleMs: 150 } })
    const parts: string[] = []
    const reading = async () => {
      for await (const bytes of begun(await client.stream(urlOf(far), { plainHttp: true })).body) {
        parts.push(Buffer.from(bytes).toString())
        if (parts.length === 1) await pause(400)
      }
    }
    await expect(reading()).rejects.toMatchObject({ refusal: 'timeout' })
    expect(parts).toEqual(['one', 'two'])
  })

  test('has a time for the whole, read or not', async () => {
    const { talk, gone } = stalling()
    await using far = await farSide(talk)
    await using client = outbound({ limits: { totalMs: 100 } })
    const answer = await client.stream(urlOf(far), { plainHttp: true })
    await gone
    expect((await readThrough(answer)).refusal).toBe('timeout')
  })
})

describe('the connection of a streamed call', () => {
  test('is closed when the caller aborts a stream that never ends', async () => {
    const gone = Promise.withResolvers<void>()
    const leaving = new AbortController()
    await using far = await farSide((request, response) => {
      response.on('close', () => gone.resolve())
      endless(request, response)
    })
    await using client = outbound({ limits: { maxBytes: Number.MAX_SAFE_INTEGER } })
    const answer = begun(await client.stream(urlOf(far), { plainHttp: true, signal: leaving.signal }))
    const reading = (async () => {
      let read = 0
      for await (const bytes of answer.body) {
        read += bytes.length
        if (read > 50_000) leaving.abort()
      }
    })()
    await expect(reading).rejects.toMatchObject({ refusal: 'cancelled' })
    await gone.promise
  })

  test('is closed when the caller aborts and nobody reads', async () => {
    const { talk, gone } = stalling()
    const leaving = new AbortController()
    await using far = await farSide(talk)
    await using client = outbound()
    begun(await client.stream(urlOf(far), { plainHttp: true, signal: leaving.signal }))
    leaving.abort()
    await gone
  })

  test('is closed when the answer is disposed of unread', async () => {
    const { talk, gone } = stalling()
    await using far = await farSide(talk)
    await using client = outbound()
    await begun(await client.stream(urlOf(far), { plainHttp: true }))[Symbol.asyncDispose]()
    await gone
  })

  test('is closed when the reader stops in the middle', async () => {
    const { talk, gone } = stalling()
    await using far = await farSide(talk)
    await using client = outbound()
    for await (const _bytes of begun(await client.stream(urlOf(far), { plainHttp: true })).body) break
    await gone
  })

  test('is closed when the client is closed, which waits for it', async () => {
    const { talk, gone } = stalling()
    await using far = await farSide(talk)
    const client = outbound()
    const answer = await client.stream(urlOf(far), { plainHttp: true })
    await client[Symbol.asyncDispose]()
    await gone
    expect((await readThrough(answer)).refusal).toBe('cancelled')
    expect(await client.stream(urlOf(far), { plainHttp: true })).toEqual({ ok: false, refusal: 'cancelled' })
  })

  test('is one of its own for each call', async () => {
    await using far = await farSide()
    await using client = outbound()
    for (let call = 0; call < 3; call++) {
      await readThrough(await client.stream(urlOf(far), { plainHttp: true }))
    }
    expect(far.connections()).toBe(3)
  })
})

describe('the log of a streamed call', () => {
  test('tells what broke it, once, with the host and without the URL; nothing when the caller left', async () => {
    const log = new RecordingLog()
    await using far = await farSide((_request, response) => response.write('half', () => response.destroy()))
    await using client = outbound({ log })
    await readThrough(await client.stream(`${urlOf(far)}s3cret?key=s3cret`, { plainHttp: true }))
    const gone = AbortSignal.abort()
    await client.stream(urlOf(far), { plainHttp: true, signal: gone })
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { refusal: 'broken', host: 'far.example' } }])
    expect(log.text()).not.toMatch(/s3cret|127\.0/)
  })
})
