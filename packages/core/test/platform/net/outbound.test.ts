import { describe, expect, test } from '@jest/globals'
import { farSide, rawFarSide } from '../../../../../test/support/far-side.ts'
import { RecordingLog } from '../../../../testing/src/recording-log.ts'
import { createOutbound } from '../../../src/platform/net/outbound.ts'
import { OUTBOUND_REFUSALS } from '../../../src/platform/net/outbound-refusal.ts'
import type { OutboundRequest } from '../../../src/platform/net/outbound-request.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

const resolver = new ScriptedResolver({ 'far.example': [['127.0.0.1']] })
const allow = ['127.0.0.0/8']

describe('an outbound client', () => {
  test('names each refusal once', () => {
    expect(new Set(OUTBOUND_REFUSALS).size).toBe(OUTBOUND_REFUSALS.length)
  })

  test('writes why and to which host, and neither path, query, header, body nor address', async () => {
    const log = new RecordingLog()
    await using far = await rawFarSide((socket) => socket.destroy())
    await using client = createOutbound({ resolver, allow, log })
    const request = {
      plainHttp: true,
      method: 'POST',
      headers: { authorization: 'Bearer s3cret' },
      body: 's3cret',
    } as const
    await client.request(`http://far.example:${far.port}/s3cret?key=s3cret#s3cret`, request)
    await client.request('http://127.0.0.1:1025/s3cret', request)
    await client.request('http://10.11.12.13/s3cret', request)
    await client.request('https://user:s3cret@far.example/', request)
    await client.request('s3cret', request)
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        fields: { refusal: 'broken', host: 'far.example' },
        message: 'an outgoing request was refused',
      },
      { fields: { refusal: 'connect', host: 'an IP address', code: 'ECONNREFUSED' } },
      { fields: { refusal: 'not-public', host: 'an IP address' } },
      { fields: { refusal: 'credentials' } },
      { fields: { refusal: 'bad-url' } },
    ])
    expect(log.text()).not.toMatch(/s3cret|127\.0|10\.11|::/)
  })

  test('ends what is under way as cancelled when it is closed, and takes nothing more', async () => {
    const arrived = Promise.withResolvers<void>()
    await using far = await rawFarSide(() => arrived.resolve())
    const client = createOutbound({ resolver, allow })
    const url = `http://far.example:${far.port}/`
    const answer = client.request(url, { plainHttp: true })
    await arrived.promise
    await client[Symbol.asyncDispose]()
    expect(await answer).toEqual({ ok: false, refusal: 'cancelled' })
    expect(await client.request(url, { plainHttp: true })).toEqual({ ok: false, refusal: 'cancelled' })
    expect(far.connections()).toBe(1)
  })

  test('ends one call as cancelled when its caller gives up, before or during', async () => {
    const arrived = Promise.withResolvers<void>()
    await using far = await rawFarSide(() => arrived.resolve())
    await using client = createOutbound({ resolver, allow })
    const giving = new AbortController()
    const request = { plainHttp: true, signal: giving.signal }
    const answer = client.request(`http://far.example:${far.port}/`, request)
    await arrived.promise
    giving.abort()
    expect(await answer).toEqual({ ok: false, refusal: 'cancelled' })
    expect(await client.request(`http://far.example:${far.port}/`, request)).toEqual({
      ok: false,
      refusal: 'cancelled',
    })
  })

  test('gives up a call in the time that its request allows, and not later than its own', async () => {
    await using far = await rawFarSide(() => {})
    await using patient = createOutbound({ resolver, allow })
    await using hasty = createOutbound({ resolver, allow, limits: { totalMs: 30 } })
    const url = `http://far.example:${far.port}/`
    const timeout = { ok: false, refusal: 'timeout' }
    expect(await patient.request(url, { plainHttp: true, timeoutMs: 30 })).toEqual(timeout)
    expect(await hasty.request(url, { plainHttp: true, timeoutMs: 60_000 })).toEqual(timeout)
  })

  test.each([
    [{ method: 'CONNECT' }],
    [{ method: 'get' }],
    [{ headers: { Host: 'other.example' } }],
    [{ headers: { 'Content-Length': '5' } }],
    [{ headers: { 'transfer-encoding': 'chunked' } }],
    [{ headers: { 'Proxy-Authorization': 'x' } }],
    [{ headers: { 'x-split': 'a\r\nb: c' } }],
    [{ headers: { 'x-bell': 'a\u0007b' } }],
    [{ headers: { 'bad name': 'a' } }],
    [{ headers: { 'x-wide': '€' } }],
  ])('throws at once for a request that only its caller can have got wrong: %j', async (request) => {
    await using far = await farSide()
    await using client = createOutbound({ resolver, allow })
    const call = client.request(`http://far.example:${far.port}/`, {
      plainHttp: true,
      ...request,
    } as OutboundRequest)
    await expect(call).rejects.toMatchObject({ name: 'TypeError' })
    expect(far.connections()).toBe(0)
  })

  test('closes every connection after its answer', async () => {
    await using far = await farSide()
    await using client = createOutbound({ resolver, allow })
    for (let call = 0; call < 3; call++)
      await client.request(`http://far.example:${far.port}/`, { plainHttp: true })
    expect(far.connections()).toBe(3)
  })
})
