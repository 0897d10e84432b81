import { describe, expect, it } from '@jest/globals'
import { firstFailing } from './first-failing.ts'
import { PLANTED } from './planted/index.ts'

/** A fault that only some hundreds of seeds meet takes seconds on a busy machine. */
const PATIENCE_MS = 60_000

describe('the checks of the simulator', () => {
  it('are tried with at least 25 planted faults', () => {
    expect(new Set(PLANTED.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25)
  })

  it.each(PLANTED)(
    'find within 1,000 seeds, by the promise that it breaks: $name',
    async ({ seams, rules }) => {
      expect(rules).toContain((await firstFailing({ seams }))?.rule)
    },
    PATIENCE_MS,
  )
})
