import { describe, expect, it } from '@jest/globals'
import { Metrics } from '../../../src/platform/metrics/metrics.ts'

const COLOR = { color: ['red', 'blue'] } as const

describe('the zeros of an exposition', () => {
  it('stand for every label set that nothing was counted of, before and after the first scrape', async () => {
    const metrics = new Metrics()
    const counter = metrics.counter('balls_total', 'Balls.', COLOR)
    const gauge = metrics.gauge('ball_size', 'Size.', COLOR)
    const histogram = metrics.histogram('ball_seconds', 'Flight.', COLOR, [1, 5])
    counter.inc({ color: 'red' }, 2)
    gauge.set({ color: 'red' }, 3)
    histogram.observe({ color: 'red' }, 4)
    for (const red of [1, 2]) {
      const text = await metrics.exposition()
      expect(text).toContain('balls_total{color="red"} 2\n')
      expect(text).toContain('balls_total{color="blue"} 0\n')
      expect(text).toContain('ball_size{color="red"} 3\n')
      expect(text).toContain('ball_size{color="blue"} 0\n')
      expect(text).toContain(`ball_seconds_count{color="red"} ${red}\n`)
      expect(text).toContain('ball_seconds_bucket{le="5",color="blue"} 0\n')
      histogram.observe({ color: 'red' }, 4)
    }
  })

  it('stand in families that are made after a scrape', async () => {
    const metrics = new Metrics()
    await metrics.exposition()
    metrics.counter('late_total', 'Late.', COLOR)
    expect(await metrics.exposition()).toContain('late_total{color="blue"} 0\n')
  })
})

describe('an exposition', () => {
  it('is written once for all who ask at one time, and anew for who asks afterwards', async () => {
    const metrics = new Metrics()
    const counter = metrics.counter('asked_total', 'Asked.', {})
    const written: string[] = []
    metrics.gauge('size', 'Size.', {}, (gauge) => {
      written.push('')
      gauge.set({}, written.length)
    })
    counter.inc({})
    const [first, second] = await Promise.all([metrics.exposition(), metrics.exposition()])
    expect(second).toBe(first)
    expect(written).toHaveLength(1)
    counter.inc({})
    expect(await metrics.exposition()).toContain('asked_total 2\n')
    expect(written).toHaveLength(2)
  })
})
