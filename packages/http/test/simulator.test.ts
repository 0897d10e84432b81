import { describe, expect, it } from '@jest/globals'
import { simulate, simulationReport } from '@svc/testing'
import { inProcess } from './in-process.ts'

const GROUPS = 50
const SEEDS_A_GROUP = 10

describe('the whole application under simulated faults', () => {
  const firsts = Array.from({ length: GROUPS }, (_, group) => 1 + group * SEEDS_A_GROUP)

  it.each(firsts)('keeps every promise through app.callback() from seed %i on', async (first) => {
    for (let seed = first; seed < first + SEEDS_A_GROUP; seed += 1) {
      const result = await simulate({ seed, seams: { endpoint: inProcess } })
      expect(result.violation === undefined ? '' : simulationReport(seed, result)).toBe('')
    }
  })

  it('gives the same events for the same seed', async () => {
    const digest = async () => (await simulate({ seed: 9, seams: { endpoint: inProcess } })).hash
    expect(await digest()).toBe(await digest())
  })

  it('finds a service whose status route ends no job', async () => {
    const endpoint: typeof inProcess = (plane) => {
      const whole = inProcess(plane)
      return async (request) =>
        request.body.state === 'succeeded' ? { status: 200, headers: {}, body: { ok: true } } : whole(request)
    }
    const { violation } = await simulate({ seed: 2, seams: { endpoint }, scenario: { faults: [] } })
    expect(violation?.rule).toBe('I3 an acknowledged end is kept')
  })
})
