import { describe, expect, it } from '@jest/globals'
import { simulate, tellSeed } from '@svc/testing/simulator'
import { KEPT_SEEDS } from './kept-seeds.ts'
import { planted } from './planted/index.ts'

const titled = KEPT_SEEDS.map((kept) => [kept.seed, kept.why, kept] as const)

describe('the seeds that are kept', () => {
  it.each(titled)('keep every promise: %i, %s', async (seed, _why, { scenario = {} }) => {
    expect((await tellSeed({ seed, scenario })).report).toBeUndefined()
  })

  // Fails if a change of the simulator has changed the run of a seed. Another seed then finds the fault and
  // is to be kept instead.
  it.each(titled.filter(([, , kept]) => kept.planted !== undefined))(
    'still find the fault that they found: %i, %s',
    async (seed, _why, { scenario = {}, planted: name = '' }) => {
      const { seams, rules } = planted(name)
      expect(rules).toContain((await simulate({ seed, scenario, seams })).violation?.rule)
    },
  )
})
