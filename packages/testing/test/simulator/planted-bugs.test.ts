import { describe, expect, it } from '@jest/globals'
import { simulate } from '@svc/testing'
import { PLANTED } from './planted/index.ts'

const SEEDS_MOST = 1000
/** A fault that only some hundreds of seeds meet takes seconds on a busy machine. */
const PATIENCE_MS = 60_000

describe('the checks of the simulator', () => {
  it('are tried with at least 25 planted faults', () => {
    expect(new Set(PLANTED.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25)
  })

  it.each(PLANTED)(
    'find within 1,000 seeds: $name',
    async ({ seams }) => {
      let found: string | undefined
      for (let seed = 1; seed <= SEEDS_MOST && found === undefined; seed += 1) {
        found = (await simulate({ seed, seams })).violation?.rule
      }
      expect(found).toBeDefined()
    },
    PATIENCE_MS,
  )
})
