import { describe, expect, it } from '@jest/globals'
import { simulate, tellSeed } from '@svc/testing/simulator'
import { inProcess } from '../../../test/support/in-process.ts'

const GROUPS = 10
const SEEDS_A_GROUP = 10

describe('the whole application under simulated faults', () => {
  const firsts = Array.from({ length: GROUPS }, (_, group) => 1 + group * SEEDS_A_GROUP)

  it.each(firsts)('keeps every promise through app.callback() from seed %i on', async (first) => {
    for (let seed = first; seed < first + SEEDS_A_GROUP; seed += 1) {
      const { report } = await tellSeed({ seed, seams: { endpoint: inProcess } }, '--app')
      expect(report).toBeUndefined()
    }
  })

  it('gives the same events for the same seed', async () => {
    const digest = async () => (await simulate({ seed: 9, seams: { endpoint: inProcess } })).hash
    expect(await digest()).toBe(await digest())
  })

  const endsNothing: typeof inProcess = (plane) => {
    const whole = inProcess(plane)
    return async (request) =>
      request.body.state === 'succeeded' ? { status: 200, headers: {}, body: { ok: true } } : whole(request)
  }

  it('finds a service whose status route ends no job', async () => {
    const { violation } = await simulate({
      seed: 2,
      seams: { endpoint: endsNothing },
      scenario: { faults: [] },
    })
    expect(violation?.rule).toBe('I3 an acknowledged end is kept')
  })

  it('tells a failing seed shrunk, with a trace and the command that repeats it through the application', async () => {
    const { report = '', result } = await tellSeed({ seed: 2, seams: { endpoint: endsNothing } }, '--app')
    expect(report).toContain(`seed 2 breaks: ${result.violation?.rule}`)
    expect(report).toMatch(/^shrunk to: /m)
    expect(report).toMatch(/^ +\d+\.\d{3} <- \/v1\/\S+ 20\d /m)
    expect(report.split('\n').at(-1)).toBe('repeat it: npm run simulate -- --app --seed 2')
  })
})
