// The evaluator of SPF records beside mailauth's, which is a second reading of RFC 7208.
import { createRequire } from 'node:module'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { dmarcPolicy } from '../../../../src/reach/email/domains/dmarc.ts'
import type { DomainLookup } from '../../../../src/reach/email/domains/domain-dns.ts'
import { evaluateSpf } from '../../../../src/reach/email/domains/spf.ts'

const require = createRequire(import.meta.url)
type Resolver = (name: string, type: string) => Promise<unknown>
interface Oracle {
  spf(options: object): Promise<{ status: { result: string } }>
}
const { spf } = require('mailauth/lib/spf') as Oracle
const getDmarcRecord = require('mailauth/lib/dmarc/get-dmarc-record') as (
  domain: string,
  resolver: Resolver,
) => Promise<false | { p?: string; sp?: string; isOrgRecord: boolean }>

type Zone = Readonly<Record<string, Readonly<Record<string, readonly string[]>> | 'fault'>>

const lookupIn = (zone: Zone): DomainLookup => ({
  find: async (name, type) => {
    const entry = zone[name.toLowerCase()]
    if (entry === 'fault') return { status: 'unknown', error: 'servfail' }
    const records = entry?.[type]
    return records === undefined ? { status: 'absent' } : { status: 'records', records }
  },
  cancel: () => {},
})

const resolverIn =
  (zone: Zone): Resolver =>
  async (name, type) => {
    const entry = zone[name.toLowerCase()]
    if (entry === 'fault') throw Object.assign(new Error('servfail'), { code: 'ESERVFAIL' })
    const records = entry?.[type]
    if (records === undefined)
      throw Object.assign(new Error('none'), { code: entry ? 'ENODATA' : 'ENOTFOUND' })
    if (type === 'TXT') return records.map((text) => [text])
    if (type !== 'MX') return records
    return records.map((text) => ({ priority: Number(text.split(' ')[0]), exchange: text.split(' ')[1] }))
  }

const DOMAIN = 'mail.example.com'
const own = async (zone: Zone, ip: string) => (await evaluateSpf(lookupIn(zone), ip, DOMAIN)).result
const theirs = async (zone: Zone, ip: string) =>
  (
    await spf({
      sender: `postmaster@${DOMAIN}`,
      ip,
      helo: DOMAIN,
      mta: 'test',
      resolver: resolverIn(zone),
      strict: true,
    })
  ).status.result

const MORE: Zone = {
  'inc.example': { TXT: ['v=spf1 ip4:203.0.113.0/28 -all'] },
  'deep.example': { TXT: ['v=spf1 include:inc.example ?all'] },
  'loop.example': { TXT: ['v=spf1 include:loop.example -all'] },
  'plain.example': { TXT: ['nothing here'], A: ['203.0.113.9', '198.51.100.1'], AAAA: ['2001:db8::9'] },
  'mx.example': { MX: ['10 plain.example'] },
  'two.example': { TXT: ['v=spf1 -all', 'v=spf1 +all'] },
  'down.example': 'fault',
  '5.113.0.203.spf.example': { A: ['127.0.0.2'] },
  [`_spf.${DOMAIN}`]: { TXT: ['v=spf1 ip6:2001:db8::/32 ~all'] },
}
const zoneOf = (record: string): Zone => ({ ...MORE, [DOMAIN]: { TXT: [record], A: ['203.0.113.5'] } })

describe('SPF', () => {
  it.each([
    ['v=spf1 ip4:203.0.113.5 -all', 'pass', '203.0.113.6', 'fail'],
    ['v=spf1 ip4:203.0.113.0/24 ~all', 'pass', '198.51.100.1', 'softfail'],
    ['v=spf1 include:inc.example ~all', 'pass', '203.0.113.99', 'softfail'],
    ['v=spf1 include:deep.example -all', 'pass', '203.0.113.99', 'fail'],
    ['v=spf1 redirect=inc.example', 'pass', '203.0.113.99', 'fail'],
    ['v=spf1 a -all', 'pass', '203.0.113.9', 'fail'],
    ['v=spf1 a/24 -all', 'pass', '203.0.113.9', 'pass'],
    ['v=spf1 exists:%{ir}.spf.example -all', 'pass', '203.0.113.6', 'fail'],
    ['v=spf1 ?all', 'neutral', '203.0.113.6', 'neutral'],
    ['V=SPF1 IP4:203.0.113.5 -ALL', 'pass', '203.0.113.6', 'fail'],
    ['v=spf10 +all', 'none', '203.0.113.6', 'none'],
  ])('%s: 203.0.113.5 is %s, %s is %s', async (record, result, other, otherResult) => {
    expect([await own(zoneOf(record), '203.0.113.5'), await own(zoneOf(record), other)]).toEqual([
      result,
      otherResult,
    ])
  })

  it.each([
    ['include:loop.example', /more than 10 look-ups/],
    ['include:plain.example -all', /plain\.example has no SPF record/],
    ['include:two.example -all', /several SPF records/],
    ['a:x1.example a:x2.example a:x3.example -all', /have no records/],
    ['ip4:203.0.113.300 -all', /cannot be read/],
    ['ip4:203.0.113.0/33 -all', /cannot be read/],
    ['all:x -all', /cannot be read/],
    ['bogus -all', /cannot be read/],
    ['redirect=a.example redirect=b.example', /repeated/],
    ['exists:%{z}.example -all', /is no macro/],
  ])('a record that receivers give up on is named: v=spf1 %s', async (terms, reason) => {
    const verdict = await evaluateSpf(lookupIn(zoneOf(`v=spf1 ${terms}`)), '198.51.100.77', DOMAIN)
    expect(verdict.result).toBe('permerror')
    expect(verdict.reason).toMatch(reason)
    expect(verdict.lookups).toBeLessThanOrEqual(11)
  })

  it('a name server that fails is no verdict', async () => {
    expect(await own(zoneOf('v=spf1 include:down.example -all'), '203.0.113.5')).toBe('temperror')
  })

  it('counts what a record costs, and names the domains that it went through', async () => {
    const zone = zoneOf('v=spf1 a:plain.example include:deep.example -all')
    expect(await evaluateSpf(lookupIn(zone), '192.0.2.1', DOMAIN)).toEqual({
      result: 'fail',
      lookups: 3,
      visited: [DOMAIN, 'deep.example', 'inc.example'],
      isIncluded: false,
    })
  })

  it('agrees with another implementation on any record', async () => {
    const target = fc.constantFrom(
      'inc.example',
      'deep.example',
      'loop.example',
      'plain.example',
      'mx.example',
      'two.example',
      'none.example',
      'down.example',
      '_spf.%{d}',
      '%{d2}',
      '%{ir}.spf.example',
    )
    const sign = fc.constantFrom('', '+', '-', '~', '?')
    const prefix = fc.constantFrom('', '', '/24', '/0', '//64', '/24//32')
    const term = fc.oneof(
      fc
        .tuple(sign, fc.constantFrom('include', 'exists', 'a', 'mx'), target)
        .map(([s, k, t]) => `${s}${k}:${t}`),
      fc.tuple(sign, fc.constantFrom('a', 'mx'), prefix).map(([s, k, p]) => `${s}${k}${p}`),
      fc
        .tuple(sign, fc.constantFrom('203.0.113.5', '203.0.113.0/24', '198.51.100.0/25', '0.0.0.0/0'))
        .map(([s, n]) => `${s}ip4:${n}`),
      fc.tuple(sign, fc.constantFrom('2001:db8::5', '2001:db8::/32')).map(([s, n]) => `${s}ip6:${n}`),
      sign.map((s) => `${s}all`),
      target.map((t) => `redirect=${t}`),
    )
    const record = fc.array(term, { maxLength: 5 }).map((terms) => ['v=spf1', ...terms].join(' '))
    const ip = fc.constantFrom('203.0.113.5', '198.51.100.1', '192.0.2.1', '2001:db8::5', '2001:db8:1::1')
    await fc.assert(
      fc.asyncProperty(record, ip, async (text, address) => {
        expect(await own(zoneOf(text), address)).toBe(await theirs(zoneOf(text), address))
      }),
      { numRuns: 400 },
    )
  })
})

describe('DMARC', () => {
  const text = fc.constantFrom(
    'v=DMARC1; p=none',
    'v=DMARC1; p=reject; sp=quarantine',
    'v=DMARC1;p=quarantine;',
    'v=DMARC1; p=reject; psd=n',
    'v=DMARC1; sp=none; p=reject; psd=y',
    'some other text',
  )
  const names = ['a.b.example.com', 'b.example.com', 'example.com', 'com']
  const entry = fc.oneof(fc.constant('fault' as const), fc.array(text, { maxLength: 2 }), fc.constant([]))

  it('finds the policy that another implementation finds, by walking up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(entry, entry, entry, entry), async (entries) => {
        const zone: Zone = Object.fromEntries(
          entries.map((each, at) => [`_dmarc.${names[at]}`, each === 'fault' ? each : { TXT: each }]),
        )
        const [domain = ''] = names
        const found = await dmarcPolicy(lookupIn(zone), domain)
        const expected = await getDmarcRecord(domain, resolverIn(zone)).catch(() => 'fault' as const)
        if (found.status === 'several') return
        if (expected === 'fault') expect(found.status).toBe('unknown')
        else if (expected === false) expect(found.status).toBe('none')
        else {
          expect(found.status).toBe('policy')
          if (found.status !== 'policy') return
          expect(found.from !== domain).toBe(expected.isOrgRecord)
          const policy = expected.isOrgRecord ? (expected.sp ?? expected.p) : expected.p
          expect(found.policy).toBe(policy)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('two records void each other, and one without a policy is no policy', async () => {
    const at = (...records: string[]) =>
      dmarcPolicy(lookupIn({ '_dmarc.example.com': { TXT: records } }), 'example.com')
    expect(await at('v=DMARC1; p=none', 'v=DMARC1; p=reject')).toMatchObject({ status: 'several' })
    expect(await at('v=DMARC1; pct=50')).toMatchObject({ status: 'invalid' })
    expect(await at('v=DMARC1; rua=mailto:d@example.com')).toMatchObject({ status: 'policy', policy: 'none' })
    expect(await at('V=DMARC2; p=none')).toEqual({ status: 'none' })
  })
})
