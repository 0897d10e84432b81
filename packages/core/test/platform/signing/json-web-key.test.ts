import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { calculateJwkThumbprint } from 'jose'
import {
  jwkSet,
  parsePublicKey,
  publicJwk,
  verificationKeys,
} from '../../../src/platform/signing/json-web-key.ts'
import { KeyRefused } from '../../../src/platform/signing/key-text.ts'
import { generateSigningKey } from '../../../src/platform/signing/signing-key.ts'

const raw = () => Buffer.from(generateSigningKey().publicKey.replace('svcpk_', ''), 'base64url')

describe('a public key', () => {
  test('is written as RFC 8037 says, under the thumbprint that another library computes', async () => {
    const bytes = raw()
    const { kid, ...jwk } = publicJwk(bytes)
    expect(jwk).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: bytes.toString('base64url'),
      alg: 'EdDSA',
      use: 'sig',
    })
    expect(kid).toBe(await calculateJwkThumbprint(jwk))
  })

  test('is the same key in base64url, base64, hex, PEM and PEM with escaped line ends', () => {
    const bytes = raw()
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
    const pem = createPublicKey({ key: jwk, format: 'jwk' })
      .export({ type: 'spki', format: 'pem' })
      .toString()
    const forms = [bytes.toString('base64url'), bytes.toString('base64'), bytes.toString('hex'), pem]
    for (const text of [...forms, pem.replaceAll('\n', '\\n')]) {
      expect(Buffer.from(parsePublicKey(text)).toString('hex')).toBe(bytes.toString('hex'))
    }
  })

  test('is refused when the text is no key, another kind of key, or a private one', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const secret = generateKeyPairSync('ed25519')
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
    const wrong = ['', 'key', 'ab'.repeat(31), rsa.export({ type: 'spki', format: 'pem' }).toString(), secret]
    for (const text of wrong) expect(() => parsePublicKey(text)).toThrow(KeyRefused)
  })
})

describe('a key set', () => {
  test('lists each key once, in the order given', () => {
    const [current, retired] = [raw(), raw()]
    const set = jwkSet([current, retired, current])
    expect(set.keys).toEqual([publicJwk(current), publicJwk(retired)])
  })

  test('of a newer service is read for the keys that are known, and the others are passed over', () => {
    const known = publicJwk(raw())
    const foreign = [
      { kty: 'RSA', kid: 'r', n: 'AQAB', e: 'AQAB' },
      { kty: 'OKP', crv: 'X25519', kid: 'x', x: known.x },
      { kty: 'OKP', crv: 'Ed25519', x: known.x },
      { ...known, kid: 'short', x: 'AAAA' },
      null,
      'key',
    ]
    expect([...verificationKeys({ keys: [...foreign, known] }).keys()]).toEqual([known.kid])
  })
})
