import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { clientIp } from '../../src/dispatch/client-ip.ts'

const SOCKET = '10.0.0.1'
const ip = (forwarded: string | undefined, hops: number) =>
  clientIp({ forwarded, socketAddress: SOCKET, proxies: [], hops })

describe('the address of a client', () => {
  it.each([
    ['no header', undefined, 1, SOCKET],
    ['a single value is taken as it is', '203.0.113.9', 1, '203.0.113.9'],
    ['the rightmost of several', '1.1.1.1, 2.2.2.2,3.3.3.3', 1, '3.3.3.3'],
    ['the second from the right behind two proxies', '1.1.1.1, 2.2.2.2, 3.3.3.3', 2, '2.2.2.2'],
    ['the leftmost when there are fewer than proxies', '1.1.1.1, 2.2.2.2', 3, '1.1.1.1'],
    ['the header is ignored without proxies', '203.0.113.9', 0, SOCKET],
    ['an empty header', '', 1, SOCKET],
    ['an empty last entry', '1.1.1.1, ', 1, SOCKET],
    ['commas only', ',,,', 2, SOCKET],
    ['a port behind IPv4, as some gateways write it', '203.0.113.9:4711', 1, '203.0.113.9'],
    ['a port behind IPv6', '[2001:db8::9]:4711', 1, '2001:db8::9'],
    ['brackets without a port', '[2001:db8::9]', 1, '2001:db8::9'],
    ['another spelling of IPv6', '2001:0DB8:0:0::0009', 1, '2001:db8::9'],
    ['IPv4 in IPv6', '::ffff:203.0.113.9', 1, '203.0.113.9'],
    ['IPv4 in IPv6, with a port', '[::ffff:cb00:7109]:443', 1, '203.0.113.9'],
    ['a zone', 'fe80::1%eth0', 1, 'fe80::1'],
    ['a word', 'unknown', 1, SOCKET],
    ['a name', 'client.example', 1, SOCKET],
    ['half an address', '203.0.113', 1, SOCKET],
    ['an address in hexadecimal', '0x7f000001', 1, SOCKET],
    ['a port that is none', '203.0.113.9:port', 1, SOCKET],
    ['very much', '1'.repeat(8000), 1, SOCKET],
    ['a comma first', ',1.1.1.1', 2, SOCKET],
  ])('%s', (_, forwarded, hops, expected) => {
    expect(ip(forwarded, hops)).toBe(expected)
  })

  it('is IPv4 where the socket writes it as IPv6', () => {
    expect(clientIp({ forwarded: undefined, socketAddress: '::ffff:127.0.0.1', proxies: [], hops: 1 })).toBe(
      '127.0.0.1',
    )
  })

  it('is one of this machine when the socket has none', () => {
    expect(clientIp({ forwarded: undefined, socketAddress: undefined, proxies: [], hops: 1 })).toBe('local')
  })

  it('is never moved by what stands left of the trusted entries', () => {
    const entry = fc.stringMatching(/^[0-9a-f.:]{1,20}$/)
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry, { minLength: 1, maxLength: 5 }), (forged, trusted) => {
        const honest = ip(trusted.join(', '), trusted.length)
        expect(ip([...forged, ...trusted].join(', '), trusted.length)).toBe(honest)
      }),
    )
  })
})

describe('the address of a client beyond known proxies', () => {
  const proxies = ['10.0.0.0/8', '203.0.113.7', '2001:db8:1::/48']
  it.each([
    ['a peer that is no proxy, whatever it says', '198.51.100.4', '6.6.6.6', '198.51.100.4'],
    ['a peer that is no proxy, without the header', '198.51.100.4', undefined, '198.51.100.4'],
    ['a peer beside a proxy', '203.0.113.8', '6.6.6.6', '203.0.113.8'],
    ['what a proxy reports', '10.0.0.1', '6.6.6.6, 198.51.100.4', '198.51.100.4'],
    ['what the outer of two proxies reports', '10.0.0.1', '198.51.100.4, 203.0.113.7', '198.51.100.4'],
    ['of several families', '::ffff:10.0.0.1', '2001:db8:2::9, 2001:db8:1::1', '2001:db8:2::9'],
    ['a proxy that asks for itself', '10.0.0.1', undefined, '10.0.0.1'],
    ['a client within the ranges', '10.0.0.1', '10.2.3.4', '10.2.3.4'],
    ['the last address before a word', '10.0.0.1', '6.6.6.6, unknown, 203.0.113.7', '203.0.113.7'],
    ['the last address before nothing', '10.0.0.1', '', '10.0.0.1'],
    ['a socket file, which a proxy connects to', undefined, '6.6.6.6, 198.51.100.4', '198.51.100.4'],
  ])('%s', (_, socketAddress, forwarded, expected) => {
    // The hops count only where no ranges are set.
    for (const hops of [0, 1, 5]) expect(clientIp({ forwarded, socketAddress, proxies, hops })).toBe(expected)
  })

  it('is never further left than sixteen entries', () => {
    const forwarded = ['6.6.6.6', ...Array.from({ length: 16 }, (_, each) => `10.0.1.${each}`)].join(',')
    expect(clientIp({ forwarded, socketAddress: '10.0.0.1', proxies, hops: 1 })).toBe('10.0.1.0')
  })
})
