import { describe, expect, it } from '@jest/globals'
import { sample } from '../../../../test/support/sample.ts'
import { firstFailing } from './first-failing.ts'
import { PLANTED } from './planted/index.ts'

/**
 * A fault that takes some hundreds of seeds to find needs 20 s of processor time, which takes minutes on a
 * busy machine.
 */
const PATIENCE_MS = 240_000
/** One takes 6 s of processor time on average, so a run tries a part of them. */
const PARTS = 12

describe('the checks of the simulator', () => {
  it('are tried with at least 25 planted faults', () => {
    expect(new Set(PLANTED.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25)
  })

  it.each(sample(PLANTED, PARTS))(
    'find within 1,000 seeds, by the promise that it breaks: $name',
    async ({ seams, rules }) => {
      expect(rules).toContain((await firstFailing({ seams }))?.rule)
    },
    PATIENCE_MS,
  )
})
