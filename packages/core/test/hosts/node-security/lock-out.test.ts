import { expect, it } from '@jest/globals'
import { mergedRanges } from '../../../src/hosts/node-security/address-range.ts'
import { lockOuts } from '../../../src/hosts/node-security/lock-out.ts'
import { readSecuritySettings } from '../../../src/hosts/node-security/security-settings.ts'

const SSH = { ports: ['22'], proto: 'tcp' }
const reasons = (firewall: object) =>
  lockOuts(readSecuritySettings({ firewall: { enabled: true, allow: [SSH], ...firewall } }))

it.each<[string[], string[]]>([
  [['0.0.0.0/1', '128.0.0.0/1'], ['0.0.0.0/0']],
  [['128.0.0.0/1', '0.0.0.0/2', '64.0.0.0/2'], ['0.0.0.0/0']],
  [['10.0.0.0/9', '10.128.0.0/9', '10.1.2.3'], ['10.0.0.0/8']],
  [
    ['10.0.1.0/24', '10.0.2.0/24'],
    ['10.0.1.0/24', '10.0.2.0/24'],
  ],
  [['192.0.2.6', '192.0.2.7', '192.0.2.6'], ['192.0.2.6/31']],
  [
    ['::/1', '8000::/1', '0.0.0.0/1'],
    ['0.0.0.0/1', '::/0'],
  ],
  [['0.0.0.0/0', '128.0.0.0/1'], ['0.0.0.0/0']],
  [[], []],
])('the ranges %j are %j', (texts, ranges) => {
  expect(mergedRanges(texts).map(({ address, prefix }) => `${address}/${prefix}`)).toEqual(ranges)
})

it('a thousand ranges that join to nothing, and a thousand that join to one, are told apart', () => {
  const many = (step: number) =>
    Array.from({ length: 1024 }, (_, at) => `10.${at >> 6}.${(at & 63) * step}.0/24`)
  expect([mergedRanges(many(2)).length, mergedRanges(many(4)).length]).toEqual([1024, 1024])
  expect(mergedRanges(Array.from({ length: 1024 }, (_, at) => `10.0.${at >> 8}.${at & 255}`))).toHaveLength(1)
})

it.each<[string, object, string[]]>([
  [
    'halves of all of IPv4',
    { deny_from: ['0.0.0.0/1', '128.0.0.0/1'] },
    ['deny_from drops every IPv4 address'],
  ],
  ['halves of all of IPv6', { deny_from: ['::/1', '8000::/1'] }, ['deny_from drops every IPv6 address']],
  ['nearly all of IPv4', { deny_from: ['0.0.0.0/1', '128.0.0.0/2'] }, []],
  [
    'the one who may',
    { allow: [{ ...SSH, from: ['192.0.2.7'] }], deny_from: ['192.0.2.0/24'] },
    ['deny_from drops every address that a rule lets in to tcp/22'],
  ],
  [
    'both who may, in halves',
    {
      allow: [{ ...SSH, from: ['192.0.2.0/24', '2001:db8::1'] }],
      deny_from: ['192.0.2.0/25', '192.0.2.128/25', '2001:db8::/32'],
    },
    ['deny_from drops every address that a rule lets in to tcp/22'],
  ],
  [
    'one of two who may',
    { allow: [{ ...SSH, from: ['192.0.2.7', '192.0.2.8'] }], deny_from: ['192.0.2.7'] },
    [],
  ],
  ['half of who may', { allow: [{ ...SSH, from: ['192.0.2.0/24'] }], deny_from: ['192.0.2.0/25'] }, []],
  ['one rule of two', { allow: [SSH, { ...SSH, from: ['192.0.2.7'] }], deny_from: ['192.0.2.7'] }, []],
])('deny_from that holds %s locks out: %j', (_, firewall, told) => {
  expect(reasons(firewall)).toEqual(told)
})
