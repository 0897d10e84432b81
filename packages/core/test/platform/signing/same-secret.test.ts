import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sameSecret, secretDigest } from '../../../src/platform/signing/same-secret.ts'

describe('secrets', () => {
  test('are the same exactly when their texts are, whatever their lengths', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(fc.property(text, (secret) => sameSecret(secret, `${secret}`)))
    fc.assert(fc.property(text, text, (a, b) => sameSecret(a, b) === (a === b)))
    expect(sameSecret('secret', 'secret ')).toBe(false)
  })

  test('that are empty open nothing', () => {
    expect(sameSecret('', '')).toBe(false)
    expect(sameSecret('', 'secret')).toBe(false)
  })

  test('are digested to SHA-256 in hex', () => {
    // FIPS 180-2, appendix B.1.
    expect(secretDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    fc.assert(
      fc.property(
        fc.string(),
        (text) => secretDigest(text) === createHash('sha256').update(text).digest('hex'),
      ),
    )
  })
})
