import { describe, expect, it } from '@jest/globals'
import { EventHeap } from '../../src/simulator/event-heap.ts'
import { Random } from '../../src/simulator/random.ts'

const draw = (random: Random, count: number): number[] => Array.from({ length: count }, () => random.next())

describe('the seeded random source', () => {
  it('gives the same draws for the same seed and others for the next', () => {
    expect(draw(new Random(7), 100)).toEqual(draw(new Random(7), 100))
    expect(draw(new Random(7), 4)).not.toEqual(draw(new Random(8), 4))
  })

  it('gives a fork draws of its own', () => {
    const random = new Random(7)
    const fork = random.fork()
    expect(draw(fork, 4)).not.toEqual(draw(random, 4))
  })

  it('draws whole numbers of a range evenly, both ends included', () => {
    const random = new Random(1)
    const counts = new Map<number, number>()
    for (let drawn = 0; drawn < 60_000; drawn += 1) {
      const value = random.between(1, 6)
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6])
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500)
  })

  it('picks from nothing with a clear error', () => {
    expect(() => new Random(1).pick([])).toThrow('there is nothing to pick from')
  })
})

describe('the heap of events', () => {
  it('gives them in the order of time, and of their planning where times are equal', () => {
    const random = new Random(3)
    const heap = new EventHeap()
    const events = Array.from({ length: 500 }, (_, sequence) => ({
      atMs: random.between(0, 50),
      sequence,
      label: '',
      run: () => {},
    }))
    for (const event of events) heap.add(event)
    const taken = Array.from({ length: 500 }, () => heap.take())
    expect(taken).toEqual(
      events.toSorted((one, other) => one.atMs - other.atMs || one.sequence - other.sequence),
    )
    expect(heap.take()).toBeUndefined()
  })
})
