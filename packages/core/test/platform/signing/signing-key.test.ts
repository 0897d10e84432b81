import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import nacl from 'tweetnacl'
import { parsePublicKey } from '../../../src/platform/signing/json-web-key.ts'
import { KeyRefused } from '../../../src/platform/signing/key-text.ts'
import {
  generateSigningKey,
  parseSigningKey,
  signingKeyFromSeed,
} from '../../../src/platform/signing/signing-key.ts'

// RFC 8037, appendix A.
const RFC_SEED = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A'
const RFC_PUBLIC = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
const RFC_THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const RFC_SIGNED = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc'
const RFC_SIGNATURE = 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })

const pairOf = (seed: Uint8Array): Buffer =>
  Buffer.from(nacl.sign.keyPair.fromSeed(Uint8Array.from(seed)).secretKey)

function pkcs8(pair: Buffer) {
  const half = (from: number) => pair.subarray(from, from + 32).toString('base64url')
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d: half(0), x: half(32) }, format: 'jwk' })
}

function formsOf(seed: Uint8Array): Record<string, string> {
  const bytes = Buffer.from(seed)
  const pair = pairOf(seed)
  const key = pkcs8(pair)
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    base64: bytes.toString('base64'),
    'base64 without padding': bytes.toString('base64').replace('=', ''),
    base64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
    'upper-case hex': bytes.toString('hex').toUpperCase(),
    'base64 of the secret key': pair.toString('base64'),
    'base64url of the secret key': pair.toString('base64url'),
    'hex of the secret key': pair.toString('hex'),
    'hex with a line end': `${bytes.toString('hex')}\n`,
    pem,
    'pem with escaped line ends': pem.replaceAll('\n', '\\n'),
    'pem with escaped Windows line ends': pem.replaceAll('\n', '\\r\\n'),
    'base64 der': key.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  }
}

function refusalOf(text: string): string {
  try {
    parseSigningKey(text)
  } catch (error) {
    if (error instanceof KeyRefused) return error.message
    throw error
  }
  throw new Error('the text was taken for a key')
}

describe('a signing key', () => {
  test('of the RFC 8037 seed has the public key, thumbprint and signature of the RFC', () => {
    const key = parseSigningKey(RFC_SEED)
    expect(Buffer.from(key.publicKey).toString('base64url')).toBe(RFC_PUBLIC)
    expect(key.kid).toBe(RFC_THUMBPRINT)
    expect(Buffer.from(key.sign(Buffer.from(RFC_SIGNED))).toString('base64url')).toBe(RFC_SIGNATURE)
  })

  test('is the same key in whichever form its text comes', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { kid } = signingKeyFromSeed(seed)
        for (const [form, text] of Object.entries(formsOf(seed))) {
          expect([form, parseSigningKey(text).kid]).toEqual([form, kid])
        }
      }),
      { numRuns: 5 },
    )
  })

  test('is not made of 64 bytes of which the second half is not the public key of the first', () => {
    const said = 'the second half of the 64 bytes is not the public key of the first'
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const mixed = Buffer.concat([one, pairOf(other).subarray(32)])
    expect(refusalOf(mixed.toString('base64'))).toContain(said)
    expect(refusalOf(mixed.toString('hex'))).toContain(said)
    expect(refusalOf(Buffer.concat([pairOf(one).subarray(32), one]).toString('base64'))).toContain(said)
    expect(refusalOf(Buffer.concat([one, one]).toString('hex'))).toContain(said)
  })

  test('that was generated is read back to the same kid and public key', () => {
    const made = generateSigningKey()
    const key = parseSigningKey(made.privateKey)
    expect(key.kid).toBe(made.kid)
    expect(Buffer.from(key.publicKey).toString('base64url')).toBe(made.publicKey.slice('svcpk_'.length))
    expect(generateSigningKey().kid).not.toBe(made.kid)
  })

  test('is told from the other half by its prefix', () => {
    const { privateKey, publicKey } = generateSigningKey()
    expect([privateKey, publicKey]).toEqual([
      expect.stringMatching(/^svcsk_[\w-]{43}$/),
      expect.stringMatching(/^svcpk_[\w-]{43}$/),
    ])
    expect(() => parseSigningKey(publicKey)).toThrow('this is a public key')
    expect(() => parsePublicKey(privateKey)).toThrow('this is a private key')
    expect(parsePublicKey(publicKey)).toEqual(parsePublicKey(publicKey.slice('svcpk_'.length)))
  })

  test('shows no secret when it is printed or serialised', () => {
    const key = parseSigningKey(RFC_SEED)
    expect(Object.keys(key).sort()).toEqual(['kid', 'publicKey', 'sign', 'signOnThread'])
    expect(JSON.stringify(key)).not.toContain(RFC_SEED)
  })
})

describe('a text that is no signing key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const encrypted = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } as const
  const refused: Record<string, string> = {
    empty: '',
    words: 'correct horse battery staple',
    '31 bytes': Buffer.alloc(31, 7).toString('base64'),
    '33 bytes': Buffer.alloc(33, 7).toString('base64'),
    'seed and public key together': Buffer.alloc(64, 7).toString('base64'),
    '63 hex digits': 'a'.repeat(63),
    'hex with one letter wrong': `${'a'.repeat(63)}g`,
    'base64 with a foreign character inside': `${RFC_SEED.slice(0, 20)} ${RFC_SEED.slice(20)}`,
    'base64 of both alphabets': `+_${RFC_SEED.slice(2)}`,
    'base64 with stray bits at its end': `${RFC_SEED.slice(0, -1)}B`,
    'a public PEM': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'an RSA PEM': rsa.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'an RSA DER': rsa.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    'an encrypted PEM': privateKey.export(encrypted).toString(),
    'a PEM cut short': privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().slice(0, 60),
  }

  test.each(Object.entries(refused))('is refused without being repeated: %s', (_form, text) => {
    const message = refusalOf(text)
    expect(message).toMatch(/Ed25519|PKCS#8/)
    if (text) expect(message).not.toContain(text.slice(0, 40))
  })

  test('is refused as such whatever it is, never by another error', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => refusalOf(text) !== ''))
  })
})
