import { describe, expect, it } from '@jest/globals'
import { randomIds } from '@svc/core/ports'
import { FakeClock, FakeIds } from '@svc/testing'

describe('FakeIds', () => {
  it('are spelled as real ones are, and are the same in every run', () => {
    const [one, other] = [new FakeIds(), new FakeIds()]
    const made = [one.next('job'), one.next('lic'), one.next('job')]
    expect(made).toEqual([other.next('job'), other.next('lic'), other.next('job')])
    expect(made[0]).toMatch(/^job_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(made[0]).toHaveLength(randomIds().next('job').length)
    expect(made.map((id) => id.slice(-2))).toEqual(['01', '02', '03'])
  })

  it('sort by the order of their making, over counts and over time', () => {
    const clock = new FakeClock()
    const ids = new FakeIds(clock)
    const made = Array.from({ length: 100 }, (_, index) => {
      if (index % 10 === 0) clock.advance({ seconds: 1 })
      return ids.next('job')
    })
    expect([...made].sort()).toEqual(made)
    expect(new Set(made).size).toBe(100)
  })

  it('secrets are as long as real ones, repeatable and different from each other', () => {
    const [one, other] = [new FakeIds(), new FakeIds()]
    for (const bytes of [1, 16, 32, 100]) {
      const secret = one.secret(bytes)
      expect(secret).toBe(other.secret(bytes))
      expect(Buffer.from(secret, 'base64url')).toHaveLength(bytes)
    }
    expect(one.secret(32)).not.toBe(one.secret(32))
  })
})
