import { describe, expect, it } from '@jest/globals'
import { FAKE_START, FakeClock } from '@svc/testing'

describe('FakeClock', () => {
  it('stands still until it is moved', () => {
    const clock = new FakeClock()
    expect([clock.now(), clock.now()]).toEqual([new Date(FAKE_START), new Date(FAKE_START)])
  })

  it('moves by named units, which add up, or by milliseconds, also back', () => {
    const clock = new FakeClock('2026-01-01T00:00:00Z')
    clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, ms: 5 })
    expect(clock.now().toISOString()).toBe('2026-01-02T02:03:04.005Z')
    expect(clock.advance(-5).toISOString()).toBe('2026-01-02T02:03:04.000Z')
  })

  it('gives stores its own instant', () => {
    const clock = new FakeClock(new Date(7))
    expect(clock.statementTime()).toEqual(new Date(7))
  })

  it('an instant that was given out does not move with it', () => {
    const clock = new FakeClock()
    const before = clock.now()
    clock.advance({ days: 1 })
    expect(before).toEqual(new Date(FAKE_START))
  })
})
