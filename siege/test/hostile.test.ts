// A small siege of the embedded database; `npm run fuzz` is the large one, on PostgreSQL. Its seed is fixed,
// so that two runs differ only by changes of the code; `FUZZ_SEED` sets another seed, `FUZZ_REQUESTS` makes
// the siege longer.
import { expect, it } from '@jest/globals'
import { Siege } from '../src/siege.ts'
import { shortcomings } from '../src/siege-report.ts'

const BAD = Number(process.env.FUZZ_REQUESTS ?? 1500)
const SEED = Number(process.env.FUZZ_SEED ?? 2_062_746_614)
const MS_EACH = 40

it(
  `${BAD} bad requests (seed ${SEED}): documented answers only, nothing echoed, no row changed by what was refused, and a good client is served throughout`,
  async () => {
    await using siege = await Siege.begin('pglite')
    const report = await siege.send({ bad: BAD, seed: SEED })
    expect(shortcomings(report, [])).toEqual([])
    // Both accepted and refused requests, so that both kinds were tested.
    expect(Object.keys(report.statuses)).toEqual(
      expect.arrayContaining(['200', '204', '400', '401', '404', '405', '413']),
    )
  },
  120_000 + BAD * MS_EACH,
)
