import { describe, expect, test } from '@jest/globals'
import { RecentMap } from '../../src/kernel/recent-map.ts'

describe('a bounded map', () => {
  test('keeps the value that each key got last, until it is deleted', () => {
    const map = new RecentMap<string>()
    expect(map.get('a')).toBeUndefined()
    map.set('a', 'first')
    map.set('a', 'second')
    expect(map.get('a')).toBe('second')
    map.delete('a')
    expect(map.get('a')).toBeUndefined()
  })

  test('keeps keys that are read, and forgets the others while more come', () => {
    const map = new RecentMap<number>(10)
    map.set('used', 1)
    map.set('unused', 2)
    for (let other = 0; other < 30; other += 1) {
      map.set(`other-${other}`, 3)
      expect(map.get('used')).toBe(1)
    }
    expect(map.get('unused')).toBeUndefined()
    const kept = Array.from({ length: 30 }, (_, other) => map.get(`other-${other}`))
    expect(kept.filter((value) => value !== undefined).length).toBeLessThanOrEqual(20)
  })

  test('keeps the last keys when one of them is set again and again', () => {
    const map = new RecentMap<number>(3)
    for (const key of ['a', 'b', 'c', 'c', 'c', 'c', 'c']) map.set(key, 1)
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, 1, 1])
  })

  test('deletes a key of either generation', () => {
    const map = new RecentMap<number>(2)
    for (const key of ['a', 'b', 'c']) map.set(key, 1)
    map.delete('a')
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 1, 1])
  })
})
