import { describe, expect, it } from '@jest/globals'
import { newDataKey } from '@svc/core'
import { Keyring } from '@svc/core/ports'
import fc from 'fast-check'
import { isDataKey } from '../../../src/platform/config/data-key.ts'

const [ONE, TWO] = [newDataKey('k1'), newDataKey('k2')]
const PLACE = 'alert_webhooks.secret:ten_1'
const SECRET = 'a secret of somebody'
const NOT = { code: 'secrets-not-configured' }

describe('a data key', () => {
  it.each([
    [ONE, true],
    [`k1:${Buffer.alloc(32, 255).toString('base64url')}`, true],
    [`k1:${Buffer.alloc(32, 255).toString('base64').replace('=', '')}`, true],
    [`k1:${Buffer.alloc(31).toString('base64')}`, false],
    [`k1:${Buffer.alloc(33).toString('base64')}`, false],
    [`:${Buffer.alloc(32).toString('base64')}`, false],
    [`a b:${Buffer.alloc(32).toString('base64')}`, false],
    [`${'k'.repeat(17)}:${Buffer.alloc(32).toString('base64')}`, false],
    [Buffer.alloc(32).toString('base64'), false],
    ['', false],
  ])('%s: %s', (entry, is) => {
    expect(isDataKey(entry)).toBe(is)
  })
})

describe('a keyring', () => {
  it('opens what it has sealed, and seals the same text differently each time', () => {
    const keyring = new Keyring([ONE])
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const sealed = keyring.seal(text, PLACE)
        expect(keyring.open(sealed, PLACE)).toBe(text)
        expect(keyring.seal(text, PLACE)).not.toBe(sealed)
        if (text.length > 8) expect(sealed).not.toContain(text)
      }),
    )
  })

  it('a text sealed elsewhere by the same rules opens: AES-256-GCM with the place as additional data', () => {
    const key = `k1:${Buffer.from('00112233445566778899aabbccddeeff'.repeat(2), 'hex').toString('base64')}`
    // Made by Python's cryptography package: AESGCM(key).encrypt(bytes(range(12)), b"hello", b"t.c:1").
    const sealed = 'v1:k1:AAECAwQFBgcICQoL:fn3ZWi8:vEg7UR6XAQafPMJeu6xJWg'
    expect(new Keyring([key]).open(sealed, 't.c:1')).toBe('hello')
  })

  it('the first key seals, every key opens', () => {
    const old = new Keyring([ONE]).seal(SECRET, PLACE)
    const both = new Keyring([TWO, ONE])
    expect(both.open(old, PLACE)).toBe(SECRET)
    expect([old, both.seal(SECRET, PLACE)].map((text) => both.stateOf(text))).toEqual(['older', 'current'])
    expect(new Keyring([ONE]).open(old, PLACE)).toBe(SECRET)
  })

  it('of two keys with one name the first counts', () => {
    const [same, other] = [newDataKey('k'), newDataKey('k')]
    const keyring = new Keyring([same, other])
    expect(keyring.open(new Keyring([same]).seal(SECRET, PLACE), PLACE)).toBe(SECRET)
    expect(() => keyring.open(new Keyring([other]).seal(SECRET, PLACE), PLACE)).toThrow()
  })

  it('a text that was moved to another row or column does not open', () => {
    const keyring = new Keyring([ONE])
    const sealed = keyring.seal(SECRET, PLACE)
    for (const place of ['alert_webhooks.secret:ten_2', 'second_factors.secret:ten_1', ''])
      expect(() => keyring.open(sealed, place)).toThrow(expect.objectContaining(NOT))
  })

  it('no change of a single character opens, and no refusal shows the secret or the text', () => {
    const keyring = new Keyring([ONE])
    const sealed = keyring.seal(SECRET, PLACE)
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'AZaz09-_:v'), (at, character) => {
        const changed = sealed.slice(0, at) + character + sealed.slice(at + 1)
        // The last character of a piece may have spare bits; a text without `v1:` is not a sealed one.
        if (decoded(changed) === decoded(sealed) || !changed.startsWith('v1:')) return
        const refusal = refusalOf(() => keyring.open(changed, PLACE))
        expect(refusal).toMatchObject(NOT)
        expect(JSON.stringify(refusal)).not.toContain(sealed.split(':')[3])
      }),
    )
  })

  it('without a key nothing is sealed, and nothing sealed is opened; what is plain stays readable', () => {
    const empty = new Keyring([])
    expect(empty.isConfigured).toBe(false)
    expect(refusalOf(() => empty.seal(SECRET, PLACE))).toMatchObject(NOT)
    const sealed = new Keyring([ONE]).seal(SECRET, PLACE)
    expect(refusalOf(() => empty.open(sealed, PLACE))).toMatchObject(NOT)
    expect(empty.open(SECRET, PLACE)).toBe(SECRET)
    expect([sealed, SECRET, 'v1:nonsense'].map((text) => empty.stateOf(text))).toEqual([
      'unreadable',
      'plain',
      'unreadable',
    ])
  })
})

const decoded = (sealed: string): string => {
  const [version = '', id = '', ...pieces] = sealed.split(':')
  return [version, id, ...pieces.map((piece) => Buffer.from(piece, 'base64url').toString('hex'))].join(':')
}

function refusalOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
