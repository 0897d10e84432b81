import { describe, expect, it } from '@jest/globals'
import { tellSeed } from '@svc/testing/simulator'
import { KEPT_SEEDS } from './kept-seeds.ts'

const titled = KEPT_SEEDS.map((kept) => [kept.seed, kept.why, kept] as const)

describe('the seeds that are kept', () => {
  it.each(titled)('keep every promise: %i, %s', async (seed, _why, { scenario = {} }) => {
    expect((await tellSeed({ seed, scenario })).report).toBeUndefined()
  })
})
