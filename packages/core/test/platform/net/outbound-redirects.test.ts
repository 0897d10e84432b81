import type { RequestListener } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { farSide } from '../../../../../test/support/far-side.ts'
import { createOutbound } from '../../../src/platform/net/outbound.ts'
import type { OutboundRequest } from '../../../src/platform/net/outbound-request.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

const to =
  (location: string, status = 302): RequestListener =>
  (request, response) =>
    request.url === '/' ? response.writeHead(status, { location }).end() : response.end('there')

function outbound() {
  const resolver = new ScriptedResolver({
    'a.example': [['127.0.0.2']],
    'b.example': [['127.0.0.2']],
    'c.example': [['127.0.0.1']],
  })
  return createOutbound({ resolver, allow: ['127.0.0.2'] })
}

const HOST = { host: '127.0.0.2' }
const follow: OutboundRequest = { plainHttp: true, redirects: 3 }

describe('a redirect', () => {
  test('is not followed unless asked for', async () => {
    await using far = await farSide(to('/next'), HOST)
    await using client = outbound()
    const answer = await client.request(`http://a.example:${far.port}/`, { plainHttp: true })
    expect(answer).toEqual({ ok: false, refusal: 'redirect' })
    expect(far.seen).toHaveLength(1)
  })

  test('is followed when asked for, relative to where it came from', async () => {
    await using far = await farSide(to('next?x=1'), HOST)
    await using client = outbound()
    const answer = await client.request(`http://a.example:${far.port}/`, follow)
    expect(answer).toMatchObject({ ok: true, status: 200 })
    expect(far.seen.map(({ url }) => url)).toEqual(['/', '/next?x=1'])
  })

  test.each([
    ['http://127.0.0.1:PORT/', 'not-public'],
    ['http://c.example:PORT/', 'not-public'],
    ['//127.0.0.1:PORT/', 'not-public'],
    ['http://0x7f.1:PORT/', 'not-public'],
    ['http://2130706433:PORT/', 'not-public'],
    ['http://[::1]:PORT/', 'not-public'],
    ['http://[::ffff:127.0.0.1]:PORT/', 'not-public'],
    ['http://169.254.169.254/latest/meta-data/', 'not-public'],
    ['http://unknown.example/', 'unresolved'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://127.0.0.1/', 'scheme'],
    ['http://user:secret@a.example:PORT/', 'credentials'],
    ['http://a.example:22/', 'port'],
    ['http://%', 'bad-url'],
  ])('to %s is judged like a call of its own and refused as %s', async (location, refusal) => {
    await using inside = await farSide()
    await using far = await farSide(to(location.replace('PORT', `${inside.port}`)), HOST)
    await using client = outbound()
    expect(await client.request(`http://a.example:${far.port}/`, follow)).toEqual({ ok: false, refusal })
    expect(inside.connections()).toBe(0)
    expect(far.seen).toHaveLength(1)
  })

  test('resolves its host anew: a name that turned to loopback in between is refused', async () => {
    const resolver = new ScriptedResolver({ 'a.example': [['127.0.0.2'], ['127.0.0.1']] })
    await using far = await farSide(to('/next'), HOST)
    await using client = createOutbound({ resolver, allow: ['127.0.0.2'] })
    const answer = await client.request(`http://a.example:${far.port}/`, follow)
    expect(answer).toEqual({ ok: false, refusal: 'not-public' })
    expect(resolver.asked).toEqual(['a.example', 'a.example'])
  })

  test.each([0, 1, 2, 3])('in a circle ends after as many hops as were allowed: %d', async (redirects) => {
    await using far = await farSide(
      (_request, response) => response.writeHead(307, { location: '/' }).end(),
      HOST,
    )
    await using client = outbound()
    const answer = await client.request(`http://a.example:${far.port}/`, { plainHttp: true, redirects })
    expect(answer).toEqual({ ok: false, refusal: 'redirect' })
    expect(far.seen).toHaveLength(redirects + 1)
  })

  test('in a chain without end is followed five times at most, whatever was asked for', async () => {
    await using far = await farSide(
      (request, response) => response.writeHead(302, { location: `${request.url}x` }).end(),
      HOST,
    )
    await using client = outbound()
    const answer = await client.request(`http://a.example:${far.port}/`, {
      plainHttp: true,
      redirects: 1_000,
    })
    expect(answer).toEqual({ ok: false, refusal: 'redirect' })
    expect(far.seen).toHaveLength(6)
  })

  test('without a location is the answer', async () => {
    await using far = await farSide((_request, response) => response.writeHead(302).end('moved'), HOST)
    await using client = outbound()
    expect(await client.request(`http://a.example:${far.port}/`, follow)).toMatchObject({
      ok: true,
      status: 302,
    })
  })

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'secret'],
    [307, 'POST', 'POST', 'secret'],
    [308, 'PUT', 'PUT', 'secret'],
  ] as const)('with status %d turns %s into %s on the same origin', async (status, method, then, body) => {
    await using far = await farSide(to('/next', status), HOST)
    await using client = outbound()
    const headers = { 'content-type': 'text/plain', authorization: 'Bearer x' }
    await client.request(`http://a.example:${far.port}/`, { ...follow, method, headers, body: 'secret' })
    expect(far.seen[1]).toMatchObject({ method: then, body, headers: { authorization: 'Bearer x' } })
    expect('content-type' in (far.seen[1]?.headers ?? {})).toBe(body !== '')
  })

  test('to another host takes no header along that may be a secret', async () => {
    await using far = await farSide(undefined, HOST)
    await using near = await farSide(to(`http://b.example:${far.port}/next`), HOST)
    await using client = outbound()
    const headers = {
      authorization: 'Bearer x',
      cookie: 'a=b',
      'x-api-key': 'k',
      accept: 'text/plain',
      'user-agent': 'svc',
    }
    await client.request(`http://a.example:${near.port}/`, { ...follow, headers })
    expect(far.seen[0]?.headers).toEqual({
      host: `b.example:${far.port}`,
      connection: 'close',
      accept: 'text/plain',
      'user-agent': 'svc',
      'accept-encoding': 'identity',
    })
  })

  test('to another port of the same host is another origin', async () => {
    await using far = await farSide(undefined, HOST)
    await using near = await farSide(to(`http://a.example:${far.port}/next`), HOST)
    await using client = outbound()
    await client.request(`http://a.example:${near.port}/`, {
      ...follow,
      headers: { authorization: 'Bearer x' },
    })
    expect(far.seen).toHaveLength(1)
    expect(far.seen[0]?.headers).not.toHaveProperty('authorization')
  })

  test.each([307, 308])('with status %d does not carry a body to another origin', async (status) => {
    await using far = await farSide(undefined, HOST)
    await using near = await farSide(to(`http://b.example:${far.port}/next`, status), HOST)
    await using client = outbound()
    const answer = await client.request(`http://a.example:${near.port}/`, {
      ...follow,
      method: 'POST',
      body: 'secret',
    })
    expect(answer).toEqual({ ok: false, refusal: 'redirect' })
    expect(far.connections()).toBe(0)
  })
})
