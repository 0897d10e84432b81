import { describe, expect, it } from '@jest/globals'
import { clientAddress, clientCrowd, clientNetworks } from '../../../src/platform/net/client-network.ts'

describe('the networks of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7', undefined],
    ['203.0.113.7:80', '203.0.113.7', undefined],
    ['::ffff:203.0.113.7', '203.0.113.7', undefined],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['::1', '0:0:0:0::/64', '0:0:0::/48'],
    ['local', 'local', undefined],
  ])('of %s are %s and %s', (address, own, site) => {
    expect(clientNetworks(address)).toEqual({ own, site })
    expect(clientCrowd(address)).toBe(site ?? own)
  })
})

describe('an address', () => {
  it.each([
    '',
    ' ',
    '[]',
    '[::1',
    '::1]',
    '1.2.3.4.5',
    '1.2.3.4:',
    '1.2.3.4:123456',
    ':80',
    '%eth0',
    `${'['.repeat(90)}`,
  ])('is not made of %j', (text) => expect(clientAddress(text)).toBeUndefined())
})
