import { describe, expect, test } from '@jest/globals'
import { SeenKeys } from '../../src/licenses/seen-keys.ts'

describe('the keys that were seen', () => {
  test('keep the license that each was last good for, until it is forgotten', () => {
    const seen = new SeenKeys()
    expect(seen.licenseOf('a')).toBeUndefined()
    seen.note('a', 'lic_1')
    seen.note('a', 'lic_2')
    expect(seen.licenseOf('a')).toBe('lic_2')
    seen.forget('a')
    expect(seen.licenseOf('a')).toBeUndefined()
  })

  test('are bounded: what is used stays, what is not goes while others come', () => {
    const seen = new SeenKeys(10)
    seen.note('used', 'lic_1')
    seen.note('unused', 'lic_2')
    for (let other = 0; other < 30; other += 1) {
      seen.note(`other-${other}`, 'lic_3')
      expect(seen.licenseOf('used')).toBe('lic_1')
    }
    expect(seen.licenseOf('unused')).toBeUndefined()
    const kept = Array.from({ length: 30 }, (_, other) => seen.licenseOf(`other-${other}`))
    expect(kept.filter((license) => license !== undefined).length).toBeLessThanOrEqual(20)
  })

  test('are forgotten in both generations', () => {
    const seen = new SeenKeys(2)
    seen.note('a', 'lic_1')
    seen.note('b', 'lic_1')
    seen.note('c', 'lic_1')
    seen.forget('a')
    expect([seen.licenseOf('a'), seen.licenseOf('b'), seen.licenseOf('c')]).toEqual([
      undefined,
      'lic_1',
      'lic_1',
    ])
  })
})
