import { describe, expect, test } from '@jest/globals'
import { SeenKeys } from '../../src/licenses/seen-keys.ts'

describe('the keys that were seen', () => {
  test('keep the license that each was last good for, until it is forgotten', () => {
    const seen = new SeenKeys()
    expect(seen.find('a')?.licenseId).toBeUndefined()
    seen.note('a', 'lic_1')
    seen.note('a', 'lic_2')
    expect(seen.find('a')?.licenseId).toBe('lic_2')
    seen.forget('a')
    expect(seen.find('a')?.licenseId).toBeUndefined()
  })

  test('are bounded: what is used stays, what is not goes while others come', () => {
    const seen = new SeenKeys(10)
    seen.note('used', 'lic_1')
    seen.note('unused', 'lic_2')
    for (let other = 0; other < 30; other += 1) {
      seen.note(`other-${other}`, 'lic_3')
      expect(seen.find('used')?.licenseId).toBe('lic_1')
    }
    expect(seen.find('unused')?.licenseId).toBeUndefined()
    const kept = Array.from({ length: 30 }, (_, other) => seen.find(`other-${other}`)?.licenseId)
    expect(kept.filter((license) => license !== undefined).length).toBeLessThanOrEqual(20)
  })

  test('are forgotten in both generations', () => {
    const seen = new SeenKeys(2)
    seen.note('a', 'lic_1')
    seen.note('b', 'lic_1')
    seen.note('c', 'lic_1')
    seen.forget('a')
    expect([seen.find('a')?.licenseId, seen.find('b')?.licenseId, seen.find('c')?.licenseId]).toEqual([
      undefined,
      'lic_1',
      'lic_1',
    ])
  })
})
