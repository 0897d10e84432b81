import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isPublicAddress } from '../../../src/platform/net/public-address.ts'

// The special-purpose registries of IANA for IPv4 and IPv6, multicast, and ranges that RFC 4291 deprecates.
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]
const SPECIAL_IPV6 = [
  '0:0:0:0:0:0:0:0/96',
  '64:ff9b:1:0:0:0:0:0/48',
  '100:0:0:0:0:0:0:0/64',
  '100:0:0:1:0:0:0:0/64',
  '2001:0:0:0:0:0:0:0/23',
  '2001:db8:0:0:0:0:0:0/32',
  '2002:0:0:0:0:0:0:0/16',
  '2620:4f:8000:0:0:0:0:0/48',
  '3fff:0:0:0:0:0:0:0/20',
  '5f00:0:0:0:0:0:0:0/16',
  'fc00:0:0:0:0:0:0:0/7',
  'fe80:0:0:0:0:0:0:0/10',
  'fec0:0:0:0:0:0:0:0/10',
  'ff00:0:0:0:0:0:0:0/8',
]

// The test has its own arithmetic, so that a shared parser cannot hide an error.
function fromDotted(text: string): bigint {
  return text.split('.').reduce((sum, octet) => (sum << 8n) | BigInt(octet), 0n)
}

function fromGroups(text: string): bigint {
  return text.split(':').reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

function groups(value: bigint): string {
  return Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  ).join(':')
}

interface Span {
  readonly first: bigint
  readonly last: bigint
}

function spanOf(range: string, width: number, read: (text: string) => bigint): Span {
  const [network = '', bits] = range.split('/')
  const first = read(network)
  return { first, last: first + (1n << BigInt(width - Number(bits))) - 1n }
}

const spans4 = SPECIAL_IPV4.map((range) => spanOf(range, 32, fromDotted))
const spans6 = SPECIAL_IPV6.map((range) => spanOf(range, 128, fromGroups))
const globalUnicast = spanOf('2000:0:0:0:0:0:0:0/3', 128, fromGroups)

const isIn = (value: bigint, { first, last }: Span) => value >= first && value <= last
const within = ({ first, last }: Span) => fc.bigInt({ min: first, max: last })
const anyIpv4 = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n })
const RUNS = { numRuns: 2_000 }

describe('over all addresses', () => {
  test.each(SPECIAL_IPV4)('none of %s is accepted, its first and last included', (range) => {
    const span = spanOf(range, 32, fromDotted)
    for (const edge of [span.first, span.last]) expect(isPublicAddress(dotted(edge))).toBe(false)
    fc.assert(fc.property(within(span), (value) => !isPublicAddress(dotted(value))))
  })

  test.each(SPECIAL_IPV6)('none of %s is accepted, its first and last included', (range) => {
    const span = spanOf(range, 128, fromGroups)
    for (const edge of [span.first, span.last]) expect(isPublicAddress(groups(edge))).toBe(false)
    fc.assert(fc.property(within(span), (value) => !isPublicAddress(groups(value))))
  })

  test('an IPv4 address is accepted exactly when it is in no special range', () => {
    fc.assert(
      fc.property(
        anyIpv4,
        (value) => isPublicAddress(dotted(value)) === !spans4.some((span) => isIn(value, span)),
      ),
      RUNS,
    )
    for (const { first, last } of spans4) {
      for (const value of [first - 1n, last + 1n].filter((each) => each >= 0n && each < 1n << 32n)) {
        expect([dotted(value), isPublicAddress(dotted(value))]).toEqual([
          dotted(value),
          !spans4.some((span) => isIn(value, span)),
        ])
      }
    }
  })

  test('an IPv4 address inside of a mapped or NAT64 one decides', () => {
    fc.assert(
      fc.property(fc.oneof(anyIpv4, ...spans4.map(within)), (value) => {
        const plain = isPublicAddress(dotted(value))
        return [0xffffn << 32n, fromGroups('64:ff9b:0:0:0:0:0:0')].every(
          (prefix) => isPublicAddress(groups(prefix | value)) === plain,
        )
      }),
      RUNS,
    )
  })

  test('an IPv6 address of global unicast space is accepted exactly when it is in no special range', () => {
    fc.assert(
      fc.property(
        within(globalUnicast),
        (value) => isPublicAddress(groups(value)) === !spans6.some((span) => isIn(value, span)),
      ),
      RUNS,
    )
  })

  test('an IPv6 address outside of global unicast space is refused unless it carries a public IPv4 address', () => {
    const outside = fc
      .bigInt({ min: 0n, max: (1n << 128n) - 1n })
      .filter((value) => !isIn(value, globalUnicast))
    fc.assert(
      fc.property(outside, (value) => !isPublicAddress(groups(value))),
      RUNS,
    )
  })
})
