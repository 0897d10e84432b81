import { fileURLToPath } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import { crashRun } from '../../src/hosts/provisioning/crashes/crash-run.ts'
import { PLANTED_CRASHES } from './planted-crashes.ts'

const templateFile = fileURLToPath(
  new URL('../../../../test/support/provisioning-template.yaml', import.meta.url),
)
const SEEDS = 10
/** Seeds that a planted fault is looked for in, at most. */
const MOST_SEEDS = 100

describe('orders whose processes are killed at any wait', () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'end with a server each, or with none, and with its money: seed %i',
    async (seed) => {
      const { fault, calls } = await crashRun({ seed, templateFile })
      expect(fault).toBeUndefined()
      expect(calls).toBeGreaterThan(0)
    },
  )

  it('do the same for the same seed', async () => {
    expect(await crashRun({ seed: 7, templateFile })).toEqual(await crashRun({ seed: 7, templateFile }))
  })
})

describe('the programme', () => {
  it('is tried with at least ten planted faults', () => {
    expect(new Set(PLANTED_CRASHES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(10)
  })

  it.each(PLANTED_CRASHES)('finds: $name', async ({ seams, from = 1 }) => {
    let fault: string | undefined
    for (let seed = from; seed < from + MOST_SEEDS && fault === undefined; seed += 1)
      fault = (await crashRun({ seed, templateFile, seams })).fault
    expect(fault).toBeDefined()
  })
})
