import { describe, expect, it } from '@jest/globals'
import {
  type AnswerSet,
  canonicalExpected,
  canonicalSet,
  canonicalValue,
  fits,
  MATCHES,
  RECORD_TYPES,
  sameSet,
  setOf,
} from '@svc/core/ports'
import fc from 'fast-check'

describe('the canonical value', () => {
  it.each([
    ['A', ' 192.0.2.1 ', '192.0.2.1'],
    ['AAAA', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['AAAA', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['CNAME', 'Target.Example.COM.', 'target.example.com'],
    ['CNAME', '.', '.'],
    ['CNAME', '_dmarc.Bücher.example.', '_dmarc.xn--bcher-kva.example'],
    ['NS', 'ns1.例え.jp', 'ns1.xn--r8jz45g.jp'],
    ['NS', 'NS1.example.com', 'ns1.example.com'],
    ['MX', '010  Mail.Example.com.', '10 mail.example.com'],
    ['MX', '0 .', '0 .'],
    ['MX', '10 Straße.example.', '10 xn--strae-oqa.example'],
    ['TXT', ' v=spf1  -all ', ' v=spf1  -all '],
    ['TXT', 'Case Counts.', 'Case Counts.'],
    [
      'CAA',
      '0 Issue "letsencrypt.org; validationmethods=dns-01"',
      '0 issue "letsencrypt.org; validationmethods=dns-01"',
    ],
    ['CAA', '128 issuewild ;', '128 issuewild ";"'],
    ['CAA', '0 issue a"b"', '0 issue "a"b""'],
    ['CAA', '0 issue "a"b', '0 issue ""a"b"'],
    ['SRV', '1 2 443 bücher.example', '1 2 443 xn--bcher-kva.example'],
    ['SRV', '1 02 443 Sip.Example.com.', '1 2 443 sip.example.com'],
    [
      'SOA',
      'ns.bücher.example. admin.example. 1 7200 3600 1209600 300',
      'ns.xn--bcher-kva.example admin.example 7200 3600 1209600 300',
    ],
    [
      'SOA',
      'NS.Example. Admin.Example. 2026010501 7200 3600 1209600 300',
      'ns.example admin.example 7200 3600 1209600 300',
    ],
    [
      'SOA',
      'ns.example admin.example 7200 3600 1209600 300',
      'ns.example admin.example 7200 3600 1209600 300',
    ],
  ] as const)('of %s %j is %j', (type, given, expected) => {
    expect(canonicalValue(type, given)).toBe(expected)
  })

  it.each([
    ['A', '2001:db8::1'],
    ['A', '192.0.2.256'],
    ['A', '0x7f.1'],
    ['A', ''],
    ['AAAA', '192.0.2.1'],
    ['AAAA', 'fe80::1%eth0'],
    ['CNAME', 'two names'],
    ['CNAME', 'xn--bcher-kva.b\u2460\uFFFF.example'],
    ['MX', 'mail.example.com'],
    ['MX', 'ten mail.example.com'],
    ['CAA', 'issue letsencrypt.org'],
    ['SRV', '1 2 sip.example.com'],
    ['SOA', 'ns.example admin.example 1 2 3'],
  ] as const)('there is none of %s %j', (type, given) => {
    expect(canonicalValue(type, given)).toBeUndefined()
  })

  it('two serials are one SOA, two other numbers are two', () => {
    const soa = (serial: number, retry: number) =>
      canonicalValue('SOA', `ns.example. admin.example. ${serial} 7200 ${retry} 1209600 300`)
    expect(soa(1, 3600)).toBe(soa(2, 3600))
    expect(soa(1, 3600)).not.toBe(soa(1, 3601))
  })

  it('is its own canonical value, whatever was given', () => {
    const words = fc.array(
      fc.constantFrom('0', '10', '65535', 'a.Example.', 'B', '"x"', '192.0.2.1', '::1', 'issue'),
      {
        maxLength: 8,
      },
    )
    const given = fc.oneof(
      fc.string(),
      words.map((each) => each.join(' ')),
      fc.ipV4(),
      fc.ipV6(),
      fc.domain(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...RECORD_TYPES), given, (type, text) => {
        const once = canonicalValue(type, text)
        if (once !== undefined) expect(canonicalValue(type, once)).toBe(once)
      }),
      { numRuns: 5000 },
    )
  })
})

describe('the canonical expectation', () => {
  it.each([
    ['A', '192.0.2.0/24', '192.0.2.0/24'],
    ['AAAA', '2001:DB8::/32', '2001:db8::/32'],
    ['A', '192.0.2.1', '192.0.2.1'],
    ['A', ' 192.0.2.0/24 ', '192.0.2.0/24'],
  ] as const)('of %s %j is %j', (type, given, expected) => {
    expect(canonicalExpected(type, given)).toBe(expected)
  })

  it.each([
    ['A', '192.0.2.1/24'],
    ['A', '192.0.2.0/33'],
    ['A', '2001:db8::/32'],
    ['AAAA', '192.0.2.0/24'],
    ['CNAME', ''],
  ] as const)('there is none of %s %j', (type, given) => {
    expect(canonicalExpected(type, given)).toBeUndefined()
  })
})

describe('a set of values', () => {
  it('knows neither order nor repetition', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.ipV4(), { minLength: 1, maxLength: 6 })
          .chain((values) =>
            fc.tuple(
              fc.constant(values),
              fc.shuffledSubarray([...values, ...values], { minLength: 2 * values.length }),
            ),
          ),
        ([values, shuffled]) => {
          const [one, other] = [canonicalSet('A', values), canonicalSet('A', shuffled)]
          expect(one).toEqual(other)
          expect(sameSet(one ?? [], other ?? ['x'])).toBe(true)
        },
      ),
    )
  })

  it('holds each value once, in the order of bytes', () => {
    expect(setOf(['b', 'a', 'B', 'a'])).toEqual(['B', 'a', 'b'])
  })

  it.each([
    [['a'], ['a'], true],
    [['a'], ['b'], false],
    [['a'], ['a', 'b'], false],
    [['a', 'b'], ['a'], false],
    [['a', 'b'], ['a', 'c'], false],
    [[], [], true],
  ])('%j and %j are one set: %s', (one, other, same) => {
    expect(sameSet(one, other)).toBe(same)
  })

  it('is none when a value is not of the type', () => {
    expect(canonicalSet('A', ['192.0.2.1', 'x'])).toBeUndefined()
  })
})

const NET = ['192.0.2.0/24']
const IN = ['192.0.2.1', '192.0.2.2']
const BOTH = ['192.0.2.1', '203.0.113.1']
const OUT = ['203.0.113.1']

describe('an answer is as expected', () => {
  it.each([
    ['exact', ['192.0.2.1'], ['192.0.2.1'], true],
    ['exact', ['192.0.2.1'], IN, false],
    ['exact', IN, ['192.0.2.1'], false],
    ['exact', NET, IN, true],
    ['exact', [...NET, '203.0.113.1'], IN, false],
    ['exact', ['192.0.2.1'], [], false],
    ['contains', ['192.0.2.1'], BOTH, true],
    ['contains', IN, ['192.0.2.1'], false],
    ['contains', NET, BOTH, true],
    ['contains', NET, OUT, false],
    ['subset', NET, IN, true],
    ['subset', NET, BOTH, false],
    ['subset', NET, [], false],
    ['absent', NET, OUT, true],
    ['absent', NET, BOTH, false],
    ['absent', ['192.0.2.1'], [], true],
    ['absent', [], [], true],
    ['absent', [], OUT, false],
  ] as const)('%s: expected %j, answered %j is %s', (match, expected, answer, outcome) => {
    expect(fits('A', match, expected, answer)).toBe(outcome)
  })

  it('a range of one family covers no address of the other', () => {
    expect(fits('AAAA', 'subset', ['::/0'], ['::ffff:c000:201'])).toBe(false)
    expect(fits('AAAA', 'subset', ['2001:db8::/32'], ['2001:db8::1'])).toBe(true)
  })

  it('a slash outside of addresses is only a character', () => {
    expect(fits('TXT', 'exact', ['0.0.0.0/0'], ['192.0.2.1'])).toBe(false)
    expect(fits('TXT', 'exact', ['0.0.0.0/0'], ['0.0.0.0/0'])).toBe(true)
  })

  const values = fc.array(fc.constantFrom('192.0.2.1', '192.0.2.2', '203.0.113.1'), { maxLength: 4 })
  const ranges = fc.array(fc.constantFrom('192.0.2.1', '192.0.2.0/24', '0.0.0.0/0', '203.0.113.1'), {
    maxLength: 3,
  })

  it('whatever the order of both', () => {
    const orders = <T>(list: fc.Arbitrary<T[]>) =>
      list.chain((each) => fc.tuple(fc.constant(each), fc.shuffledSubarray(each, { minLength: each.length })))
    fc.assert(
      fc.property(fc.constantFrom(...MATCHES), orders(ranges), orders(values), (match, [e, f], [a, b]) => {
        expect(fits('A', match, setOf(f), setOf(b))).toBe(fits('A', match, setOf(e), setOf(a)))
        expect(fits('A', match, f, b)).toBe(fits('A', match, e, a))
      }),
    )
  })

  it('exactly when it contains everything and has nothing beside it', () => {
    fc.assert(
      fc.property(ranges, values, (expected, answer: AnswerSet) => {
        const is = (match: (typeof MATCHES)[number]) => fits('A', match, expected, answer)
        if (answer.length > 0) expect(is('exact')).toBe(is('contains') && is('subset'))
        if (answer.length > 0 && expected.length > 0 && is('subset')) expect(is('absent')).toBe(false)
      }),
    )
  })
})
