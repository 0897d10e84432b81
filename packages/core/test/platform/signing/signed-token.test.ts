import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import nacl from 'tweetnacl'
import { jwkSet, verificationKeys } from '../../../src/platform/signing/json-web-key.ts'
import {
  CLOCK_LEEWAY_SECONDS,
  signToken,
  TOKEN_TYPES,
  verifyToken,
} from '../../../src/platform/signing/signed-token.ts'
import {
  generateSigningKey,
  parseSigningKey,
  type SigningKey,
} from '../../../src/platform/signing/signing-key.ts'

const NOW_S = 1_760_000_000
const claims = { aud: 'svc-agent', sub: 'lic_1', iat: NOW_S, nbf: NOW_S, exp: NOW_S + 600 }
const key = parseSigningKey(generateSigningKey().privateKey)
const keys = verificationKeys(jwkSet([key.publicKey]))
const at = (seconds: number) => new Date(seconds * 1000)
const expected = { keys, typ: 'svc-act+jwt', audience: 'svc-agent', now: at(NOW_S) } as const
const token = signToken(key, 'svc-act+jwt', claims)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs any header and body, including ones that the signer would never make. */
function forge(header: unknown, body: unknown, by: SigningKey = key): string {
  const signed = `${encode(header)}.${encode(body)}`
  return `${signed}.${Buffer.from(by.sign(Buffer.from(signed))).toString('base64url')}`
}

const header = { alg: 'EdDSA', typ: 'svc-act+jwt', kid: key.kid }
const refused = (reason: string) => ({ ok: false, reason })

describe('a signed token', () => {
  test('gives its claims back to whoever holds the public key', () => {
    expect(verifyToken(token, expected)).toEqual({ ok: true, claims })
  })

  test('names algorithm, type and key in its header and nothing else', () => {
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual(header)
  })

  test('of one of two keys names its own, whichever signed first', () => {
    const other = parseSigningKey(generateSigningKey().privateKey)
    for (const by of [key, other, key]) {
      for (const typ of TOKEN_TYPES) {
        const made = signToken(by, typ, claims)
        const head = Buffer.from(made.split('.')[0] ?? '', 'base64url').toString()
        expect(JSON.parse(head)).toEqual({ alg: 'EdDSA', typ, kid: by.kid })
        const both = verificationKeys(jwkSet([key.publicKey, other.publicKey]))
        expect(verifyToken(made, { ...expected, keys: both, typ })).toEqual({ ok: true, claims })
      }
    }
  })

  test('carries any JSON claims unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (extra) => {
        const made = signToken(key, 'svc-rfr+jwt', { ...claims, extra })
        const verdict = verifyToken(made, { ...expected, typ: 'svc-rfr+jwt' })
        expect(verdict).toEqual({ ok: true, claims: JSON.parse(JSON.stringify({ ...claims, extra })) })
      }),
      { numRuns: 50 },
    )
  })

  test('of one type never passes as another', () => {
    for (const made of TOKEN_TYPES) {
      for (const typ of TOKEN_TYPES) {
        const verdict = verifyToken(signToken(key, made, claims), { ...expected, typ })
        expect(verdict).toEqual(made === typ ? { ok: true, claims } : refused('wrong-type'))
      }
    }
  })

  test('is not made without an end', () => {
    expect(() => signToken(key, 'svc-act+jwt', { ...claims, exp: Number.NaN })).toThrow(RangeError)
    expect(() => signToken(key, 'svc-act+jwt', { ...claims, exp: NOW_S + 0.5 })).toThrow(RangeError)
  })
})

describe('time', () => {
  const verdictAt = (seconds: number) => verifyToken(token, { ...expected, now: at(seconds) })

  test('expires a token at exp plus the leeway, and not one second sooner', () => {
    expect(verdictAt(claims.exp + CLOCK_LEEWAY_SECONDS - 1)).toMatchObject({ ok: true })
    expect(verdictAt(claims.exp + CLOCK_LEEWAY_SECONDS)).toEqual(refused('expired'))
  })

  test('opens a token at nbf minus the leeway, and not one second sooner', () => {
    expect(verdictAt(claims.nbf - CLOCK_LEEWAY_SECONDS)).toMatchObject({ ok: true })
    expect(verdictAt(claims.nbf - CLOCK_LEEWAY_SECONDS - 1)).toEqual(refused('not-yet-valid'))
  })
})

describe('a token is refused', () => {
  const other = parseSigningKey(generateSigningKey().privateKey)
  const { exp: _exp, ...endless } = claims
  const cases: [string, string, string][] = [
    ['for another audience', forge(header, { ...claims, aud: 'someone' }), 'wrong-audience'],
    ['with a list of audiences', forge(header, { ...claims, aud: ['svc-agent'] }), 'malformed'],
    ['without an end', forge(header, endless), 'malformed'],
    ['with a text for an end', forge(header, { ...claims, exp: '9999999999' }), 'malformed'],
    ['with a text for a beginning', forge(header, { ...claims, nbf: 'later' }), 'malformed'],
    ['of an unknown key', forge({ ...header, kid: other.kid }, claims, other), 'unknown-key'],
    ['that names no key', forge({ alg: 'EdDSA', typ: header.typ }, claims), 'unknown-key'],
    ['signed by another key under our kid', forge(header, claims, other), 'bad-signature'],
    ['with the algorithm none', forge({ ...header, alg: 'none' }, claims), 'wrong-algorithm'],
    ['with an HMAC algorithm', forge({ ...header, alg: 'HS256' }, claims), 'wrong-algorithm'],
    ['without a type', forge({ alg: 'EdDSA', kid: key.kid }, claims), 'wrong-type'],
    ['with a critical extension', forge({ ...header, crit: ['b64'] }, claims), 'malformed'],
    ['whose body is no object', forge(header, [claims]), 'malformed'],
    ['that is empty', '', 'malformed'],
    ['with two parts', token.split('.').slice(0, 2).join('.'), 'malformed'],
    ['with four parts', `${token}.`, 'malformed'],
    ['with an empty signature', `${token.split('.').slice(0, 2).join('.')}.`, 'malformed'],
    ['with padding after its signature', `${token}==`, 'malformed'],
    ['with a line end after it', `${token}\n`, 'malformed'],
    ['longer than any of ours', forge(header, { ...claims, pad: 'x'.repeat(20_000) }), 'malformed'],
  ]

  test.each(cases)('%s', (_title, text, reason) => {
    expect(verifyToken(text, expected)).toEqual(refused(reason))
  })

  test('when any one character of it is changed', () => {
    for (let index = 0; index < token.length; index += 1) {
      const changed = token[index] === 'A' ? 'B' : 'A'
      const text = token.slice(0, index) + changed + token.slice(index + 1)
      expect([index, verifyToken(text, expected).ok]).toEqual([index, false])
    }
  })

  test('when its signature is the second spelling (S + L) of a valid one', () => {
    const [head, body, tail = ''] = token.split('.')
    const signature = Buffer.from(tail, 'base64url')
    const order = 2n ** 252n + 27742317777372353535851937790883648493n
    const scalar = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
    const spelled = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
    const second = Buffer.concat([signature.subarray(0, 32), spelled])
    const signed = Buffer.from(`${head}.${body}`)
    expect(nacl.sign.detached.verify(signed, second, key.publicKey)).toBe(true)
    const verdict = verifyToken(`${head}.${body}.${second.toString('base64url')}`, expected)
    expect(verdict).toEqual(refused('bad-signature'))
  })

  test('whatever text it is, without an error', () => {
    const part = fc.oneof(fc.string(), fc.jsonValue().map(encode), fc.constantFrom(...token.split('.')))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        fc.pre(parts.join('.') !== token)
        expect(verifyToken(parts.join('.'), expected).ok).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})
