import { describe, expect, it } from '@jest/globals'
import { generateSigningKey, verificationKeys } from '@svc/core'
import { jwkSet } from '../../../src/platform/signing/json-web-key.ts'
import { parseSigningKey } from '../../../src/platform/signing/signing-key.ts'
import { signSmallToken, verifySmallToken } from '../../../src/platform/signing/small-token.ts'

const now = new Date('2030-01-02T03:04:05Z')
const seconds = now.getTime() / 1000
const [current, former, foreign] = [1, 2, 3].map(() => parseSigningKey(generateSigningKey().privateKey))
if (!current || !former || !foreign) throw new Error('no keys')
const keys = verificationKeys(jwkSet([current.publicKey, former.publicKey]))

const facts = (fields: object = {}) => ({ v: 1, aud: 'peers', nbf: seconds, exp: seconds + 60, ...fields })
const verdict = (text: string, fields: object = {}) =>
  verifySmallToken(text, { prefix: 'svct_v1', keys, aud: 'peers', now, ...fields })

describe('a small token', () => {
  it.each([current, former])('verifies under every published key', (key) => {
    const token = signSmallToken(key, 'svct_v1', facts({ more: 'ü' }))
    expect(verdict(token)).toEqual({ ok: true, payload: { ...facts({ more: 'ü' }), kid: key.kid } })
  })

  it('of another kind is none, whatever its prefix is changed to', () => {
    const other = signSmallToken(current, 'svct_v2', facts())
    expect(verdict(other)).toEqual({ ok: false, reason: 'invalid' })
    expect(verdict(other.replace('svct_v2', 'svct_v1'))).toEqual({ ok: false, reason: 'invalid' })
    expect(verdict(other, { prefix: 'svct_v2' })).toMatchObject({ ok: true })
    const token = signSmallToken(current, 'svct_v1', facts())
    expect(verdict(token.replace('svct_v1', 'svct_v2'), { prefix: 'svct_v2' })).toMatchObject({ ok: false })
  })

  it.each<[string, string]>([
    ['of a key that is not published', signSmallToken(foreign, 'svct_v1', facts())],
    ['for somebody else', signSmallToken(current, 'svct_v1', facts({ aud: 'others' }))],
    ['of another version', signSmallToken(current, 'svct_v1', facts({ v: 2 }))],
    ['without an end', signSmallToken(current, 'svct_v1', facts({ exp: undefined }))],
    ['with half a second', signSmallToken(current, 'svct_v1', facts({ exp: seconds + 0.5 }))],
    ['that is a list', signSmallToken(current, 'svct_v1', [])],
    ['that is empty', ''],
    ['with four parts', `${signSmallToken(current, 'svct_v1', facts())}.`],
    ['longer than 4096 characters', signSmallToken(current, 'svct_v1', facts({ more: 'x'.repeat(3200) }))],
  ])('%s is invalid', (_, text) => {
    expect(verdict(text)).toEqual({ ok: false, reason: 'invalid' })
  })

  it('names the key that signed it', () => {
    const kept = { ...current, kid: former.kid }
    expect(verdict(signSmallToken(kept, 'svct_v1', facts()))).toEqual({ ok: false, reason: 'invalid' })
  })

  it('may be a minute from the future, and ends to the second', () => {
    const at = (nbf: number, exp: number) => verdict(signSmallToken(current, 'svct_v1', facts({ nbf, exp })))
    expect(at(seconds + 60, seconds + 99)).toMatchObject({ ok: true })
    expect(at(seconds + 61, seconds + 99)).toEqual({ ok: false, reason: 'not-yet-valid' })
    expect(at(seconds, seconds + 1)).toMatchObject({ ok: true })
    expect(at(seconds, seconds)).toEqual({ ok: false, reason: 'expired' })
  })
})
