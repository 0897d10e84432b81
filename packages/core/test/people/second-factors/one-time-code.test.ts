import { describe, expect, it, test } from '@jest/globals'
import { oneTimeCode } from '@svc/testing'
import { otpauthUri, secretOf, stepOf, stepOfCode } from '../../../src/people/second-factors/one-time-code.ts'

const SECONDS = 1000

describe('one-time codes', () => {
  // Appendix B gives codes of eight digits. Codes of six are their last digits, since both are remainders of
  // one number.
  const KEY = Buffer.from('12345678901234567890')
  const VECTORS = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ] as const

  it.each(VECTORS)('are those of RFC 6238, appendix B, at second %i', async (second, digits) => {
    const secret = await secretOf(KEY.toString('base64url'))
    const at = new Date(second * SECONDS)
    expect(await stepOfCode(secret, digits.slice(-6), at)).toBe(Math.floor(second / 30))
    expect(oneTimeCode(secret, at)).toBe(digits.slice(-6))
    const next = String((Number(digits.slice(-6)) + 1) % 1_000_000).padStart(6, '0')
    expect(await stepOfCode(secret, next, at)).toBeUndefined()
  })

  it('count for their step and the one before and after, and not a moment longer', async () => {
    const secret = await secretOf(KEY.toString('base64url'))
    const step = stepOf(new Date(1_234_567_890 * SECONDS))
    const token = '005924'
    const at = (second: number) => stepOfCode(secret, token, new Date(second * SECONDS))
    for (const second of [(step - 1) * 30, step * 30, (step + 2) * 30 - 0.001]) {
      expect([second, await at(second)]).toEqual([second, step])
    }
    for (const second of [(step - 1) * 30 - 0.001, (step + 2) * 30]) {
      expect([second, await at(second)]).toEqual([second, undefined])
    }
  })

  it('are none without a secret, nor of anything but six digits', async () => {
    const secret = await secretOf(KEY.toString('base64url'))
    const at = new Date(59 * SECONDS)
    expect(await stepOfCode(secret, '287082', at)).toBe(1)
    expect(await stepOfCode(undefined, '287082', at)).toBeUndefined()
    for (const token of ['', '28708', '2870820', '94287082', 'éééééé', '２８７０８２', '28708\n', '-87082']) {
      expect([token, await stepOfCode(secret, token, at)]).toEqual([token, undefined])
    }
  })

  test('the code that is computed where there is no secret is none either', async () => {
    const at = new Date(59 * SECONDS)
    const token = oneTimeCode('A'.repeat(32), at)
    expect(await stepOfCode('A'.repeat(32), token, at)).toBe(1)
    expect(await stepOfCode(undefined, token, at)).toBeUndefined()
  })

  it('have an address that apps read, with service and person in it', async () => {
    const secret = await secretOf(KEY.toString('base64url'))
    const uri = new URL(await otpauthUri(secret, 'svc.example:8443', 'ada+1@example.com'))
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp'])
    expect(decodeURIComponent(uri.pathname)).toBe('/svc.example:8443:ada+1@example.com')
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'svc.example:8443',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
