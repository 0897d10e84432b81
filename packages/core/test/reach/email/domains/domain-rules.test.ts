import { describe, expect, it } from '@jest/globals'
import { readDomainName } from '../../../../src/kernel/domain-name.ts'
import { hostOf } from '../../../../src/reach/email/domains/domain-name.ts'
import { spfValue } from '../../../../src/reach/email/domains/domain-records.ts'
import { judgeDomain, PATIENCE_SECONDS } from '../../../../src/reach/email/domains/domain-status.ts'
import type { EmailDomainStatus, RecordStatus } from '../../../../src/reach/email/domains/email-domain.ts'

describe('The name of a sending domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['mail.Bücher.example', 'mail.xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a.b.example.co.uk', 'a.b.example.co.uk'],
  ])('is read in one spelling: %s is %s', (given, name) => {
    expect(readDomainName(given)).toBe(name)
  })

  it.each([
    'co.uk',
    'com',
    'localhost',
    'a..b',
    '.example.com',
    'example.com..',
    '192.0.2.1',
    '[2001:db8::1]',
    '0x7f.1',
    '2130706433',
    '*.example.com',
    '_dmarc.example.com',
    'a_b.example.com',
    '-a.example.com',
    'a-.example.com',
    'exam ple.com',
    'example.com/path',
    'user@example.com',
    'example.com:25',
    'example.com?x',
    'exa%6dple.com',
    'example.com\r\nBcc: z@x.example',
    'exam\u0000ple.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(125)}example.com`,
    '',
    '.',
  ])('is refused when nobody can register it: %j', (given) => {
    expect(readDomainName(given)).toBeUndefined()
  })

  it('is shown to panels without the zone that they append', () => {
    expect(hostOf('k1._domainkey.mail.example.co.uk', 'mail.example.co.uk')).toBe('k1._domainkey.mail')
    expect(hostOf('example.co.uk', 'example.co.uk')).toBe('@')
    expect(hostOf('_dmarc.example.co.uk', 'example.co.uk')).toBe('_dmarc')
  })

  it('has an SPF record that includes the relay, or names its addresses', () => {
    expect(spfValue({ include: '_spf.svc.example', ips: ['203.0.113.5'] })).toBe(
      'v=spf1 include:_spf.svc.example ~all',
    )
    expect(spfValue({ include: undefined, ips: ['203.0.113.5', '2001:db8::5'] })).toBe(
      'v=spf1 ip4:203.0.113.5 ip6:2001:db8::5 ~all',
    )
  })
})

const CREATED = new Date('2026-01-05T09:00:00Z')
const after = (seconds: number) => new Date(CREATED.getTime() + seconds * 1000)
const HOUR = 3600

function judged(given: {
  status: EmailDomainStatus
  records: readonly [RecordStatus, RecordStatus, RecordStatus]
  now?: Date
  failingSince?: Date
  requireDmarc?: boolean
}) {
  const [dkim, spf, dmarc] = given.records.map((status) => ({ status }))
  const { status, failingSince, now = after(HOUR), requireDmarc = true } = given
  const findings = { ...(dkim && { dkim }), ...(spf && { spf }), ...(dmarc && { dmarc }) }
  return judgeDomain({ status, failingSince, createdAt: CREATED }, findings, { requireDmarc, now })
}

const GOOD = ['verified', 'verified', 'verified'] as const
const LOST = ['verified', 'missing', 'verified'] as const
const UNSURE = ['verified', 'temporary_failure', 'verified'] as const

describe('The status of a sending domain', () => {
  it.each(['pending', 'verified', 'degraded', 'failed'] as const)(
    '%s becomes verified by its records',
    (status) => {
      expect(judged({ status, records: GOOD, failingSince: CREATED })).toEqual({
        status: 'verified',
        failingSince: undefined,
        delaySeconds: 24 * HOUR,
        isVerified: true,
      })
    },
  )

  it.each(['pending', 'verified', 'degraded', 'failed'] as const)(
    '%s is moved by no failure of a name server, however long it lasts',
    (status) => {
      const failingSince = status === 'degraded' ? CREATED : undefined
      const now = after(1000 * HOUR)
      expect(judged({ status, records: UNSURE, now, ...(failingSince && { failingSince }) })).toMatchObject({
        status,
        failingSince,
        isVerified: false,
        delaySeconds: 600,
      })
    },
  )

  it('a record that is certainly wrong counts, whatever another one was', () => {
    const records = ['mismatch', 'temporary_failure', 'verified'] as const
    expect(judged({ status: 'verified', records })).toMatchObject({
      status: 'degraded',
      failingSince: after(HOUR),
    })
  })

  it.each(['missing', 'mismatch', 'conflict', 'invalid', 'insecure'] as const)(
    'a verified one is degraded by a record that is %s, and still sends',
    (status) => {
      const records = [status, 'verified', 'verified'] as const
      expect(judged({ status: 'verified', records })).toMatchObject({
        status: 'degraded',
        delaySeconds: HOUR,
      })
    },
  )

  it('a pending one waits three days, then it has failed and is checked when somebody asks', () => {
    const at = (seconds: number) => judged({ status: 'pending', records: LOST, now: after(seconds) })
    expect(at(0)).toMatchObject({ status: 'pending', delaySeconds: 600 })
    expect(at(2 * HOUR)).toMatchObject({ status: 'pending', delaySeconds: 6 * HOUR })
    expect(at(PATIENCE_SECONDS)).toMatchObject({ status: 'pending' })
    expect(at(PATIENCE_SECONDS + 1)).toMatchObject({ status: 'failed', delaySeconds: undefined })
  })

  it('a degraded one fails after three days of being wrong, not of being old', () => {
    const failingSince = after(500 * HOUR)
    const at = (seconds: number) =>
      judged({ status: 'degraded', records: LOST, failingSince, now: after(500 * HOUR + seconds) })
    expect(at(PATIENCE_SECONDS)).toMatchObject({ status: 'degraded', failingSince })
    expect(at(PATIENCE_SECONDS + 1)).toMatchObject({ status: 'failed', failingSince })
  })

  it('a DMARC policy counts when the settings ask for one', () => {
    const records = ['verified', 'verified', 'missing'] as const
    expect(judged({ status: 'pending', records }).isVerified).toBe(false)
    expect(judged({ status: 'pending', records, requireDmarc: false }).isVerified).toBe(true)
  })
})
