import { describe, expect, it } from '@jest/globals'
import { FakeClock, FakeTimers } from '@svc/testing'
import { Sampler } from '../../../src/watch/health/sampler.ts'

/** Makes a sampler whose samples the test supplies. */
function sampling() {
  const timers = new FakeTimers(new FakeClock())
  const taken: PromiseWithResolvers<number>[] = []
  const sampler = new Sampler(() => {
    const sample = Promise.withResolvers<number>()
    taken.push(sample)
    return sample.promise
  }, timers)
  return { timers, taken, sampler }
}

describe('figures that are costly to get', () => {
  it('the first look waits for them, half a second at most; none after it waits', async () => {
    const { timers, taken, sampler } = sampling()
    let seen: number | undefined | 'waiting' = 'waiting'
    const first = sampler.latest().then((value) => {
      seen = value
    })
    await timers.advance({ ms: 499 })
    expect(seen).toBe('waiting')
    await timers.advance({ ms: 1 })
    await first
    expect(seen).toBeUndefined()
    expect(await sampler.latest()).toBeUndefined()
    taken[0]?.resolve(7)
    await timers.advance({ ms: 0 })
    expect(await sampler.latest()).toBe(7)
    expect(timers.waiting).toBe(0)
  })

  it('are taken again after 15 s, in the background, the old ones standing in meanwhile', async () => {
    const { timers, taken, sampler } = sampling()
    const first = sampler.latest()
    taken[0]?.resolve(1)
    expect(await first).toBe(1)
    await timers.advance({ seconds: 15 })
    expect(await sampler.latest()).toBe(1)
    expect(taken).toHaveLength(1)
    await timers.advance({ ms: 1 })
    expect(await sampler.latest()).toBe(1)
    expect(taken).toHaveLength(2)
    taken[1]?.resolve(2)
    await timers.advance({ ms: 0 })
    expect(await sampler.latest()).toBe(2)
  })

  it('one at a time: a database that hangs gets no second question, and counts as down after five seconds', async () => {
    const { timers, taken, sampler } = sampling()
    const first = sampler.latest()
    expect(sampler.isUp).toBe(false)
    taken[0]?.resolve(1)
    await first
    await timers.advance({ seconds: 16 })
    await sampler.latest()
    await timers.advance({ seconds: 5 })
    expect(sampler.isUp).toBe(true)
    await timers.advance({ minutes: 10 })
    expect(await sampler.latest()).toBe(1)
    expect(taken).toHaveLength(2)
    expect(sampler.isUp).toBe(false)
    taken[1]?.resolve(2)
    await timers.advance({ ms: 0 })
    expect(sampler.isUp).toBe(true)
  })

  it('a failure is down, and keeps the figures there were', async () => {
    const { timers, taken, sampler } = sampling()
    const first = sampler.latest()
    taken[0]?.resolve(1)
    await first
    await timers.advance({ seconds: 16 })
    await sampler.latest()
    taken[1]?.reject(new Error('gone'))
    await timers.advance({ ms: 0 })
    expect({ up: sampler.isUp, latest: await sampler.latest() }).toEqual({ up: false, latest: 1 })
  })
})
