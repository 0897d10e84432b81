import { expect, test } from '@jest/globals'
import { randomIds } from '../../../src/kernel/ids.ts'
import {
  RECOVERY_CODE_BYTES,
  recoveryDigest,
  spellRecoveryCode,
} from '../../../src/people/second-factors/recovery-code.ts'

const bytesOf = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

test('A recovery code spells 120 bits, all of them, in six groups that are hard to mistake', () => {
  expect(RECOVERY_CODE_BYTES * 8).toBe(120)
  expect(spellRecoveryCode(bytesOf('00'.repeat(15)))).toBe('0000-0000-0000-0000-0000-0000')
  expect(spellRecoveryCode(bytesOf('ff'.repeat(15)))).toBe('zzzz-zzzz-zzzz-zzzz-zzzz-zzzz')
  expect(spellRecoveryCode(bytesOf('0123456789abcdef0123456789abcd'))).toBe('04hm-asw9-nf6y-y093-8nkr-kayd')
  const spelled = Array.from({ length: 200 }, () =>
    spellRecoveryCode(randomIds().secret(RECOVERY_CODE_BYTES)),
  )
  expect(new Set(spelled).size).toBe(200)
  for (const code of spelled) expect(code).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
})

test('However it is typed it is the same, and another one is another', () => {
  const code = '01ab-ghjk-mnpq-rstv-wxyz-2345'
  for (const typed of [
    code.toUpperCase(),
    code.replaceAll('-', ''),
    ` ${code.replaceAll('-', ' ')}\n`,
    `Oi${code.slice(2)}`,
  ]) {
    expect([typed, recoveryDigest(typed)]).toEqual([typed, recoveryDigest(code)])
  }
  expect(recoveryDigest(`${code.slice(0, -1)}6`)).not.toBe(recoveryDigest(code))
  expect(recoveryDigest(code)).toMatch(/^[0-9a-f]{64}$/)
})
