import { describe, expect, it } from '@jest/globals'
import { checkTicket, type NewTicket, RELAY_TYP, relayClaims } from '../../../src/hosts/access/relay-token.ts'
import { jwkSet, verificationKeys } from '../../../src/platform/signing/json-web-key.ts'
import { signToken } from '../../../src/platform/signing/signed-token.ts'
import { signingKeyFromSeed } from '../../../src/platform/signing/signing-key.ts'

const KEY = signingKeyFromSeed(Buffer.alloc(32, 3))
const OTHER = signingKeyFromSeed(Buffer.alloc(32, 4))
const NOW = new Date('2026-01-05T09:00:00.000Z')
const TICKET: NewTicket = {
  ...{ sid: 'acs_1', role: 'operator', jti: 'j', licenseId: 'lic_1', fingerprint: 'a fingerprint' },
  ...{ mode: 'shell', maxSeconds: 28_800, idleSeconds: 900, relay: 'wss://relay.example/below' },
  ...{ now: NOW, lifeSeconds: 60 },
}
const EXPECTED = {
  keys: verificationKeys(jwkSet([KEY.publicKey])),
  audiences: ['wss://other.example', 'wss://relay.example'],
  role: 'operator',
  now: NOW,
} as const

const CLAIMS = relayClaims(TICKET)
const token = (more: object = {}, key = KEY) => signToken(key, RELAY_TYP, { ...CLAIMS, ...more })
const later = (ms: number) => ({ ...EXPECTED, now: new Date(NOW.getTime() + ms) })
const spoilt = (text: string, at: number) => {
  const bit = text.charAt(at) === 'A' ? 'B' : 'A'
  return text.slice(0, at) + bit + text.slice(at + 1)
}

describe('a ticket to a relay', () => {
  it('says which side of which session it is for, and no fingerprint', () => {
    expect(checkTicket(token(), EXPECTED)).toEqual({
      ...{ sid: 'acs_1', role: 'operator', jti: 'j', mode: 'shell', maxSeconds: 28_800, idleSeconds: 900 },
    })
    expect(JSON.stringify(CLAIMS)).not.toContain('a fingerprint')
    expect(CLAIMS).toMatchObject({ aud: 'wss://relay.example', exp: NOW.getTime() / 1000 + 60, v: 1 })
  })

  it('is good to the second at which it ends, without leeway', () => {
    expect(checkTicket(token(), later(59_999))).toMatchObject({ sid: 'acs_1' })
    expect(checkTicket(token(), later(60_000))).toBe('token expired')
  })

  const whole = token()
  it.each([
    ['a flipped bit of the claims', spoilt(whole, whole.indexOf('.') + 20)],
    ['a flipped bit of the signature', spoilt(whole, whole.length - 20)],
    ['another audience', token({ aud: 'wss://evil.example' })],
    ['the swapped side', token({ role: 'agent' })],
    ['a side that is none', token({ role: 'root' })],
    ['another key', token({}, OTHER)],
    ['another purpose', signToken(KEY, 'svc-act+jwt', CLAIMS)],
    ['a transfer key', `svct_v1.${whole.split('.').slice(1).join('.')}`],
    ['5 KiB', token({ pad: 'x'.repeat(5 * 1024) })],
    ['no session', token({ sid: '' })],
    ['no single use', token({ jti: undefined })],
    ['a mode that is none', token({ mode: 'root' })],
    ['another version', token({ v: 2 })],
    ['no limit', token({ max_s: 0.5 })],
    ['no idle limit', token({ idle_s: -1 })],
    ['a time to come', token({ nbf: NOW.getTime() / 1000 + 1 })],
    ['nothing', ''],
  ])('is invalid with %s', (_what, given) => {
    expect(checkTicket(given, EXPECTED)).toBe('token invalid')
  })

  it('that ended is still checked first', () => {
    expect(checkTicket(spoilt(whole, whole.length - 20), later(3_600_000))).toBe('token invalid')
  })
})
