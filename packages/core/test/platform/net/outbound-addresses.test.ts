import { describe, expect, test } from '@jest/globals'
import { loopbackDns } from '../../../../../test/support/dns-server.ts'
import { farSide } from '../../../../../test/support/far-side.ts'
import { systemResolver } from '../../../src/platform/net/dns-system.ts'
import { createOutbound, type OutboundParts } from '../../../src/platform/net/outbound.ts'
import { ScriptedResolver } from './scripted-resolver.ts'

const LOOPBACK = ['127.0.0.0/8']
const nobody = new ScriptedResolver({})

function outbound(parts: Partial<OutboundParts> = {}) {
  return createOutbound({ resolver: nobody, ...parts })
}

describe('the address of a call', () => {
  test('is resolved once and pinned: a name that changes to another address is not asked again', async () => {
    await using first = await farSide(undefined, { host: '127.0.0.2' })
    await using second = await farSide(undefined, { host: '127.0.0.3', port: first.port })
    const resolver = new ScriptedResolver({ 'rebind.example': [['127.0.0.2'], ['127.0.0.3']] })
    await using client = outbound({ resolver, allow: ['127.0.0.2'] })
    const url = `http://rebind.example:${first.port}/`
    expect(await client.request(url, { plainHttp: true })).toMatchObject({ ok: true, status: 200 })
    expect(resolver.asked).toEqual(['rebind.example'])
    expect(await client.request(url, { plainHttp: true })).toEqual({ ok: false, refusal: 'not-public' })
    expect([first.connections(), second.connections()]).toEqual([1, 0])
  })

  test('that was public when it was asked for is the one that is called, not the loopback of a second answer', async () => {
    await using inside = await farSide()
    const resolver = new ScriptedResolver({ 'rebind.example': [['93.184.216.34'], ['127.0.0.1']] })
    await using client = outbound({ resolver })
    const url = `http://rebind.example:${inside.port}/`
    // The test environment blocks connections to other machines, so the call to the public address fails.
    expect(await client.request(url, { plainHttp: true })).toEqual({ ok: false, refusal: 'connect' })
    expect(await client.request(url, { plainHttp: true })).toEqual({ ok: false, refusal: 'not-public' })
    expect(inside.connections()).toBe(0)
  })

  test('is the one of one answer of a real name server, which changes it between two questions', async () => {
    await using first = await farSide(undefined, { host: '127.0.0.2' })
    await using second = await farSide(undefined, { host: '127.0.0.3', port: first.port })
    await using dns = await loopbackDns()
    const resolver = systemResolver({ servers: [dns.server], tryMs: 20_000 })
    const limits = { resolveMs: 60_000 }
    await using client = outbound({ resolver, limits, allow: ['127.0.0.2'] })
    const call = () => client.request(`http://rebind.example:${first.port}/`, { plainHttp: true })
    const answers = (...addresses: string[]) =>
      dns.zone.set('rebind.example', { A: addresses.map((address) => ({ address })) })
    answers('127.0.0.2')
    expect(await call()).toMatchObject({ ok: true, status: 200 })
    // One query for A and one for AAAA: no query follows between judging and connecting.
    expect(dns.asked.udp).toBe(2)
    answers('127.0.0.3')
    expect(await call()).toEqual({ ok: false, refusal: 'not-public' })
    answers('127.0.0.2', '127.0.0.3')
    expect(await call()).toEqual({ ok: false, refusal: 'not-public' })
    dns.zone.set('rebind.example', {
      A: [{ address: '127.0.0.2' }],
      AAAA: [{ address: '::ffff:127.0.0.3' }],
    })
    expect(await call()).toEqual({ ok: false, refusal: 'not-public' })
    expect([first.connections(), second.connections()]).toEqual([1, 0])
    answers('127.0.0.2')
    expect(await call()).toMatchObject({ ok: true, status: 200 })
  })

  test.each([
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['93.184.216.34', '2606:4700::1111', '::ffff:127.0.0.1']],
    [['2606:4700::1111', '64:ff9b::7f00:1']],
    [['2606:4700::1111', 'fe80::1%eth0']],
    [['93.184.216.34', 'not an address']],
    [['93.184.216.34', '0x7f.1']],
  ])('is refused with all others when one answer is not public: %j', async (answers) => {
    await using client = outbound({ resolver: new ScriptedResolver({ 'mixed.example': [answers] }) })
    expect(await client.request('https://mixed.example/')).toEqual({ ok: false, refusal: 'not-public' })
  })

  test.each([
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '127.1',
    '0177.0.0.1',
    '１２７.0.0.1',
    '127。0。0。1',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
  ])('is judged when it stands in the URL itself, where nothing is resolved: %s', async (host) => {
    await using inside = await farSide()
    const resolver = new ScriptedResolver({})
    await using client = outbound({ resolver })
    const answer = await client.request(`http://${host}:${inside.port}/`, { plainHttp: true })
    expect(answer).toEqual({ ok: false, refusal: 'not-public' })
    expect(inside.connections()).toBe(0)
    expect(resolver.asked).toEqual([])
  })

  test.each(['localhost', 'localhost.', 'LOCALHOST'])(
    'is judged for names of the machine: %s',
    async (host) => {
      await using client = outbound({
        resolver: new ScriptedResolver({ localhost: [['127.0.0.1', '::1']] }),
      })
      expect(await client.request(`https://${host}/`)).toEqual({ ok: false, refusal: 'not-public' })
    },
  )

  test("is refused when it is the machine's own, however public it looks", async () => {
    const resolver = new ScriptedResolver({ 'self.example': [['93.184.216.34']] })
    await using client = outbound({ resolver, own: () => ['93.184.216.34'] })
    expect(await client.request('https://self.example/')).toEqual({ ok: false, refusal: 'not-public' })
  })

  test('is called under the URL’s name: Host keeps name and port, and a trailing dot is not part of it', async () => {
    await using far = await farSide()
    const resolver = new ScriptedResolver({ 'hooks.example': [['127.0.0.1']] })
    await using client = outbound({ resolver, allow: LOOPBACK })
    await client.request(`http://HOOKS.example.:${far.port}/a%20b/../c?d=e#f`, { plainHttp: true })
    expect(resolver.asked).toEqual(['hooks.example'])
    expect(far.seen).toMatchObject([{ url: '/c?d=e', headers: { host: `hooks.example:${far.port}` } }])
  })

  test('falls back to the next of the checked ones when the first takes no connection', async () => {
    await using far = await farSide()
    const resolver = new ScriptedResolver({ 'two.example': [['127.0.0.9', '127.0.0.1']] })
    await using client = outbound({ resolver, allow: LOOPBACK })
    const answer = await client.request(`http://two.example:${far.port}/`, { plainHttp: true })
    expect(answer).toMatchObject({ ok: true, status: 200 })
  })

  test('may have no answer: an unknown name, an empty answer and a resolver that throws are unresolved', async () => {
    const resolver = new ScriptedResolver({ 'empty.example': [[]] })
    await using client = outbound({ resolver })
    expect(await client.request('https://empty.example/')).toEqual({ ok: false, refusal: 'unresolved' })
    expect(await client.request('https://unknown.example/')).toEqual({ ok: false, refusal: 'unresolved' })
  })

  test('is waited for only so long, also of a resolver that never answers', async () => {
    const resolver = { resolve: () => new Promise<readonly string[]>(() => {}) }
    await using client = outbound({ resolver, limits: { resolveMs: 30 } })
    expect(await client.request('https://silent.example/')).toEqual({ ok: false, refusal: 'timeout' })
  })

  test('is taken directly: proxies of the environment do not count', async () => {
    await using far = await farSide()
    await using proxy = await farSide()
    const before = { ...process.env }
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      process.env[name] = `http://127.0.0.1:${proxy.port}`
    }
    try {
      await using client = outbound({ allow: LOOPBACK })
      const answer = await client.request(`http://127.0.0.1:${far.port}/`, { plainHttp: true })
      expect(answer).toMatchObject({ ok: true, status: 200 })
    } finally {
      process.env = before
    }
    expect([far.connections(), proxy.connections()]).toEqual([1, 0])
  })
})
