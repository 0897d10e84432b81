// 8,000 requests a run cost some 20 s on two cores, most of it the making of the requests; `npm run fuzz` sends 200,000.
// The ordinary run is the same every time (its seed once found a 500), so that a change is judged by what it changes;
// `npm run fuzz` draws a new seed each time. `FUZZ_SEED` repeats one that failed, `FUZZ_REQUESTS` makes a run longer.
import { expect, it } from '@jest/globals'
import { Siege } from './siege.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 8000)
const SEED = Number(process.env.FUZZ_SEED ?? 2_062_746_614)
const MS_EACH = 20

it(
  `${REQUESTS} bad requests (seed ${SEED}): documented answers only, nothing echoed, no row changed by what was refused, and a good client is served throughout`,
  async () => {
    await using siege = await Siege.begin()
    const { statuses, recounts, bystander, rss } = await siege.send(REQUESTS, SEED)
    expect(recounts).toBeGreaterThan(0)
    expect(bystander).toMatchObject({ failed: 0 })
    expect(bystander.beats).toBeGreaterThan(0)
    // Taken and refused ones, so that neither side was blind.
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['200', '204', '400', '401', '404', '405', '413']),
    )
    expect(rss.after).toBeLessThan(rss.before * 1.2)
  },
  60_000 + REQUESTS * MS_EACH,
)
