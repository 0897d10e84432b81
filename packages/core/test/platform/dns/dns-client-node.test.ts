// Node's resolver against a real DNS server on loopback.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { nodeDnsClient } from '@svc/core'
import type { DnsReply, RecordType } from '@svc/core/ports'
import { garblingServer, type LoopbackDns, loopbackDns } from '../../../../../test/support/dns-server.ts'

const TRY_MS = 100
const client = nodeDnsClient({ tryMs: TRY_MS })

let dns: LoopbackDns
beforeAll(async () => {
  dns = await loopbackDns()
})
afterAll(async () => dns[Symbol.asyncDispose]())

const ask = (host: string, type: RecordType = 'A', server = dns.server): Promise<DnsReply> =>
  client.batch().ask({ server, host, type })

describe('records come in presentation format', () => {
  it.each([
    ['A', [{ address: '192.0.2.1' }, { address: '192.0.2.2' }], ['192.0.2.1', '192.0.2.2']],
    ['AAAA', [{ address: '2001:db8::1' }], ['2001:db8::1']],
    ['CNAME', [{ domain: 'Target.example.com' }], ['Target.example.com']],
    ['NS', [{ ns: 'ns1.example.com' }], ['ns1.example.com']],
    ['MX', [{ priority: 10, exchange: 'mail.example.com' }], ['10 mail.example.com']],
    ['TXT', [{ data: ['v=spf1 ', 'include:example.net ', '-all'] }], ['v=spf1 include:example.net -all']],
    ['TXT', [{ data: ['Grüße, ', '你好'] }], ['Grüße, 你好']],
    ['CAA', [{ flags: 128, tag: 'issue', value: 'ca.example' }], ['128 issue "ca.example"']],
    // The targets have different endings: this server would compress a common one, which RFC 2782 forbids and
    // Node cannot read.
    [
      'SRV',
      [
        { priority: 1, weight: 2, port: 5269, target: 'xmpp.example.net' },
        { priority: 10, weight: 0, port: 443, target: 'spare.example.org' },
      ],
      ['1 2 5269 xmpp.example.net', '10 0 443 spare.example.org'],
    ],
    [
      'SOA',
      [
        {
          primary: 'ns.example.com',
          admin: 'admin.example.com',
          serial: 7,
          refresh: 1,
          retry: 2,
          expiration: 3,
          minimum: 4,
        },
      ],
      ['ns.example.com admin.example.com 7 1 2 3 4'],
    ],
  ] as const)('%s', async (type, data, records) => {
    dns.zone.set('typed.example.com', { [type]: data })
    const reply = await ask('typed.example.com', type)
    expect(reply.status === 'records' && [...reply.records].sort()).toEqual(records)
  })
})

describe('what counts as an answer', () => {
  it('a change of the zone is seen at once: nothing is remembered, also within one batch', async () => {
    const batch = client.batch()
    const question = { server: dns.server, host: 'moving.example.com', type: 'A' as const }
    dns.zone.set('moving.example.com', { A: [{ address: '192.0.2.1' }] })
    expect(await batch.ask(question)).toEqual({ status: 'records', records: ['192.0.2.1'] })
    dns.zone.set('moving.example.com', { A: [{ address: '192.0.2.2' }] })
    expect(await batch.ask(question)).toEqual({ status: 'records', records: ['192.0.2.2'] })
  })

  it('NXDOMAIN and NODATA are told apart and are no errors', async () => {
    dns.zone.set('empty.example.com', { TXT: [{ data: ['x'] }] })
    expect(await ask('gone.example.com')).toEqual({ status: 'nxdomain' })
    expect(await ask('empty.example.com')).toEqual({ status: 'nodata' })
  })

  it('an answer that is cut short is asked for again over TCP', async () => {
    dns.zone.set('large.example.com', 'truncated')
    const before = { ...dns.asked }
    const reply = await ask('large.example.com')
    expect(reply.status === 'records' && reply.records).toHaveLength(200)
    expect(dns.asked.udp).toBeGreaterThan(before.udp)
    // The query is sent twice if the machine is too busy to take the first answer in time.
    expect(dns.asked.tcp).toBeGreaterThan(before.tcp)
  })

  it('the hosts file does not count', async () => {
    dns.zone.set('localhost', { A: [{ address: '192.0.2.9' }] })
    expect(await ask('localhost')).toEqual({ status: 'records', records: ['192.0.2.9'] })
  })

  it('a referral without an answer counts as no records: point monitors at resolvers, not at servers of zones', async () => {
    dns.zone.set('referred.example.com', 'referral')
    expect(await ask('referred.example.com')).toEqual({ status: 'nodata' })
  })
})

describe('what is an error', () => {
  it('SERVFAIL', async () => {
    dns.zone.set('broken.example.com', 'servfail')
    expect(await ask('broken.example.com')).toEqual({ status: 'error', error: 'servfail' })
  })

  it('REFUSED, the answer of a lame server', async () => {
    dns.zone.set('lame.example.com', 'refused')
    expect(await ask('lame.example.com')).toEqual({ status: 'error', error: 'refused' })
  })

  it('silence, within two tries', async () => {
    dns.zone.set('silent.example.com', 'silence')
    const before = dns.asked.udp
    expect(await ask('silent.example.com')).toEqual({ status: 'error', error: 'timeout' })
    expect(dns.asked.udp - before).toBe(2)
  })

  it('a server that is not there', async () => {
    // A fixed port, since another suite may meanwhile have taken one that was free a moment ago.
    expect(await ask('www.example.com', 'A', '127.77.77.77:9')).toEqual({
      status: 'error',
      error: 'unreachable',
    })
  })

  it.each([
    ['noise', (query: Buffer) => Buffer.concat([query.subarray(0, 2), Buffer.alloc(40, 0xff)])],
    [
      'a header alone',
      (query: Buffer) => Buffer.concat([query.subarray(0, 2), Buffer.from('8180000000010000', 'hex')]),
    ],
    ['nothing at all', () => Buffer.alloc(0)],
  ])('a malformed answer: %s', async (_, garble) => {
    await using server = await garblingServer(garble)
    expect(await ask('www.example.com', 'A', server.server)).toMatchObject({ status: 'error' })
  })

  it('giving up ends what is under way as a timeout', async () => {
    dns.zone.set('silent.example.com', 'silence')
    const batch = nodeDnsClient({ tryMs: 60_000 }).batch()
    const asking = batch.ask({ server: dns.server, host: 'silent.example.com', type: 'A' })
    batch.cancel()
    expect(await asking).toEqual({ status: 'error', error: 'timeout' })
  })
})

describe('servers', () => {
  it('do not stand in for each other: each is asked itself', async () => {
    await using other = await loopbackDns()
    dns.zone.set('split.example.com', { A: [{ address: '192.0.2.1' }] })
    other.zone.set('split.example.com', 'servfail')
    const batch = client.batch()
    const question = { host: 'split.example.com', type: 'A' as const }
    const replies = [dns, other].map(({ server }) => batch.ask({ ...question, server }))
    expect(await Promise.all(replies)).toEqual([
      { status: 'records', records: ['192.0.2.1'] },
      { status: 'error', error: 'servfail' },
    ])
  })

  it('of the system are known', () => {
    expect(client.systemServers()).toEqual(expect.any(Array))
  })
})
