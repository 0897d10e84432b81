import { describe, expect, test } from '@jest/globals'
import { type CpuProfile, hotspotsOf, watchHotspots } from '../src/measure/hotspots.ts'

const FRAMES: readonly (readonly [name: string, url: string, place: string])[] = [
  ['writev', '', 'native writev'],
  ['', '', 'native (anonymous)'],
  ['(garbage collector)', '', '(garbage collector)'],
  ['emit', 'node:events', 'node:events'],
  ['query', 'file:///srv/node_modules/pg/lib/client.js', 'pg'],
  ['parse', 'file:///srv/node_modules/@mikro-orm/core/index.js', '@mikro-orm/core'],
  ['inner', 'file:///srv/node_modules/pg/node_modules/pg-types/index.js', 'pg-types'],
  ['claim', 'file:///srv/packages/core/src/work/jobs/jobs.ts', 'core/work/jobs'],
  ['serve', 'file:///srv/packages/http/src/app.ts', 'http'],
  ['answer', 'file:///srv/bench/src/parts/bare-http.ts', 'the server itself'],
]

describe('where the time goes', () => {
  test('is summed by the place of the code, the most first, without waiting', () => {
    const profile: CpuProfile = {
      nodes: [
        { id: 99, callFrame: { functionName: '(idle)', url: '' } },
        ...FRAMES.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } })),
      ],
      samples: [99, ...FRAMES.keys(), 3],
      timeDeltas: [1_000, ...FRAMES.map((_, id) => 10 * (id + 1)), 500],
    }
    const found = hotspotsOf(profile)
    expect(found).toEqual(
      Object.fromEntries(FRAMES.map(([, , place], id) => [place, 10 * (id + 1) + (id === 3 ? 500 : 0)])),
    )
    expect(Object.keys(found)[0]).toBe('node:events')
  })

  test('is seen in a process that works', async () => {
    const end = await watchHotspots()
    const until = performance.now() + 50
    while (performance.now() < until) JSON.parse('[1,2,3]')
    const found = await end()
    const total = Object.values(found).reduce((sum, micros) => sum + micros, 0)
    expect(total).toBeGreaterThan(20_000)
    expect(Object.keys(found).every((place) => place !== '(idle)')).toBe(true)
  })
})
