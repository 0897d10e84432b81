import { describe, expect, test } from '@jest/globals'
import { makeCertificate } from '../../../../../test/support/certificate.ts'
import { farSide, rawFarSide } from '../../../../../test/support/far-side.ts'
import { createOutbound } from '../../../src/platform/net/outbound.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

const named = makeCertificate(['hooks.example'])
const numbered = makeCertificate(['127.0.0.1'])
const expired = makeCertificate(['hooks.example'], '210101')

function outbound(ca: readonly string[], connectMs = 5_000) {
  const resolver = new ScriptedResolver({
    'hooks.example': [['127.0.0.1']],
    'other.example': [['127.0.0.1']],
  })
  return createOutbound({ resolver, allow: ['127.0.0.0/8'], ca, limits: { connectMs } })
}

describe('a call over TLS', () => {
  test('keeps the name: SNI, Host and the certificate are those of the URL, the connection that of the address', async () => {
    await using far = await farSide(undefined, { certificate: named })
    await using client = outbound([named.cert])
    const answer = await client.request(`https://hooks.example.:${far.port}/`)
    expect(answer).toMatchObject({ ok: true, status: 200 })
    expect(far.seen).toMatchObject([
      { servername: 'hooks.example', headers: { host: `hooks.example:${far.port}` } },
    ])
  })

  test('to an address asks for no name and holds the certificate to the address', async () => {
    await using far = await farSide(undefined, { certificate: numbered })
    await using client = outbound([numbered.cert])
    expect(await client.request(`https://127.0.0.1:${far.port}/`)).toMatchObject({ ok: true })
    expect(far.seen).toMatchObject([{ servername: false, headers: { host: `127.0.0.1:${far.port}` } }])
    await using other = await farSide(undefined, { certificate: named })
    await using strict = outbound([named.cert])
    expect(await strict.request(`https://127.0.0.1:${other.port}/`)).toEqual({ ok: false, refusal: 'tls' })
  })

  test.each([
    ['of another name', 'other.example', named, [named.cert]],
    ['that nobody trusts', 'hooks.example', named, []],
    ['that has expired', 'hooks.example', expired, [expired.cert]],
  ])(
    'is refused for a certificate %s, before a byte of the request is sent',
    async (_which, host, certificate, ca) => {
      await using far = await farSide(undefined, { certificate })
      await using client = outbound(ca)
      expect(await client.request(`https://${host}:${far.port}/`)).toEqual({ ok: false, refusal: 'tls' })
      expect(far.seen).toEqual([])
    },
  )

  test('is refused for an untrusted certificate also where the environment turns the check off', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await using far = await farSide(undefined, { certificate: named })
      await using client = outbound([])
      expect(await client.request(`https://hooks.example:${far.port}/`)).toEqual({
        ok: false,
        refusal: 'tls',
      })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })

  test('is refused when the other side does not speak TLS or hangs up', async () => {
    await using plain = await rawFarSide((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await using rude = await rawFarSide((socket) => socket.destroy())
    await using client = outbound([])
    for (const { port } of [plain, rude]) {
      expect(await client.request(`https://hooks.example:${port}/`)).toEqual({ ok: false, refusal: 'tls' })
    }
  })

  test('is given up when the handshake takes longer than a connection may', async () => {
    await using silent = await rawFarSide(() => {})
    await using client = outbound([], 50)
    const answer = await client.request(`https://hooks.example:${silent.port}/`)
    expect(answer).toEqual({ ok: false, refusal: 'timeout' })
  })

  test('is not led away to plain http unless that was asked for', async () => {
    await using open = await farSide()
    const location = `http://other.example:${open.port}/`
    await using far = await farSide((_request, response) => response.writeHead(302, { location }).end(), {
      certificate: named,
    })
    await using client = outbound([named.cert])
    const url = `https://hooks.example:${far.port}/`
    expect(await client.request(url, { redirects: 1 })).toEqual({ ok: false, refusal: 'scheme' })
    expect(open.connections()).toBe(0)
    expect(await client.request(url, { redirects: 1, plainHttp: true })).toMatchObject({
      ok: true,
      status: 200,
    })
  })
})
