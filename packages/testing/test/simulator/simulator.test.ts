import { describe, expect, it } from '@jest/globals'
import {
  type AgentProgram,
  drawScenario,
  FAULTS,
  type SimulationOptions,
  type SimulationResult,
  shrink,
  simulate,
  simulationReport,
  tellSeed,
} from '@svc/testing/simulator'
import { firstFailing } from './first-failing.ts'
import { planted } from './planted/index.ts'

const FIRST_SEED = 20_260_105
const SEEDS = 40

/** Operations whose refusal would leave the fleet healthy, so that no check would notice it. */
const OPERATED = [
  'fleet.drain',
  'fleet.forget',
  'fleet.undrain',
  'jobs.cancel',
  'jobs.enqueue',
  'licenses.reinstate',
  'licenses.revoke',
  'licenses.suspend',
]

const seedsFrom = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index)

describe('the simulator', () => {
  it.each(seedsFrom(FIRST_SEED, SEEDS))('keeps every promise under the faults of seed %i', async (seed) => {
    const { result, report } = await tellSeed({ seed })
    expect(report).toBeUndefined()
    expect(result.requests).toBeGreaterThan(0)
  })

  it('gives the same events for the same seed, traced or not, and others for another', async () => {
    const digests = async (options: { isTraced?: boolean }) => {
      const results = []
      for (const seed of seedsFrom(FIRST_SEED, 5)) results.push(await simulate({ seed, ...options }))
      return results.map(({ events, hash }) => `${events} ${hash}`)
    }
    const first = await digests({})
    expect(await digests({ isTraced: true })).toEqual(first)
    expect(new Set(first).size).toBe(5)
  })

  it('gives the same events when other seeds ran before', async () => {
    const alone = await simulate({ seed: 77 })
    await simulate({ seed: 78 })
    expect((await simulate({ seed: 77 })).hash).toBe(alone.hash)
  })

  it('simulates a fleet of 200 hosts on three replicas', async () => {
    const scenario = { hosts: 200, licenses: 10, replicas: 3, jobs: 150, seconds: 120 }
    const result = await simulate({ seed: 3, scenario })
    expect(result.violation).toBeUndefined()
    expect(result.jobs).toBeGreaterThan(100)
  })

  it('has work done to its end and faults happening in an ordinary run', async () => {
    const results: SimulationResult[] = []
    for (const seed of seedsFrom(1, 20)) results.push(await simulate({ seed }))
    const sum = (of: (result: SimulationResult) => number) =>
      results.reduce((total, result) => total + of(result), 0)
    expect(sum(({ jobs }) => jobs)).toBeGreaterThan(100)
    expect(sum(({ faults }) => faults)).toBeGreaterThan(300)
    expect(sum(({ simulatedSeconds }) => simulatedSeconds)).toBeGreaterThan(1800)
    const answered = new Set(results.flatMap((result) => [...result.answered.keys()]))
    expect(OPERATED.filter((name) => !answered.has(name))).toEqual([])
  })
})

describe('messages to endpoints', () => {
  it.each(seedsFrom(1, 4))('keep their promises while receivers and replicas fail, seed %i', async (seed) => {
    const faults = ['receiver-failure', 'replica-crash', 'database-failure'] as const
    const scenario = { alerts: true, licenses: 1, hosts: 4, jobs: 40, faults }
    expect((await simulate({ seed, scenario })).violation).toBeUndefined()
  })
})

describe('a failure of the database', () => {
  it('also happens inside a transaction, which then must leave nothing', async () => {
    const { seams } = planted('transaction: what failed is committed all the same')
    const found = await firstFailing({ seams, scenario: { faults: ['database-failure'] } }, 100)
    expect(found?.rule).toBe('a deployment is stored with its job')
  })
})

describe('the fault mix', () => {
  it.each(FAULTS)('leaves %s out in 30 to 50 % of the seeds', (fault) => {
    const without = seedsFrom(1, 2000).filter((seed) => !drawScenario(seed).faults.includes(fault))
    expect(without.length / 2000).toBeGreaterThan(0.3)
    expect(without.length / 2000).toBeLessThan(0.5)
  })
})

/** The first seed that fails with more than `jobs` jobs, so that there is something to leave out. */
async function failingWithJobs(jobs: number, seams: NonNullable<SimulationOptions['seams']>) {
  for (const seed of seedsFrom(1, 1000)) {
    if (drawScenario(seed).jobs <= jobs) continue
    const found = await simulate({ seed, seams })
    if (found.violation !== undefined) return { seed, found }
  }
  throw new Error('no seed fails')
}

describe('a failing seed', () => {
  it('is shrunk, and told with the promise, the fault mix, a trace and the line that repeats it', async () => {
    const { seams } = planted('status: the host is not asked for')
    const { seed, found } = await failingWithJobs(8, seams)
    const rule = found.violation?.rule ?? ''
    const { result } = await shrink({ seed, seams }, rule)
    expect(result.violation?.rule).toBe(rule)
    expect(result.scenario.jobs).toBeLessThan(found.scenario.jobs)
    expect(result.scenario.faults.length).toBeLessThan(found.scenario.faults.length)
    const report = simulationReport(seed, found, result)
    expect(report).toContain(`seed ${seed} breaks: I2 late writes change nothing`)
    expect(report).toContain(found.scenario.faults.join(', '))
    expect(report).toMatch(/db jobs\.report/)
    expect(report.split('\n').at(-1)).toBe(`repeat it: npm run simulate -- --seed ${seed}`)
  })
})

describe('an agent of your own', () => {
  it('is driven in place of the simulated ones', async () => {
    const claims: number[] = []
    const agent: AgentProgram = async (host) => {
      for (;;) {
        const { fingerprint } = host
        const answer = await host.request('/v1/jobs/claim', { fingerprint })
        if (answer !== undefined) claims.push(answer.status)
        const job = answer?.body.job as { id: string; attempt: number } | undefined
        if (job === undefined) await host.sleep(5000)
        else await done(host, job)
      }
    }
    const result = await simulate({ seed: 5, agent, scenario: { faults: [] } })
    expect(result.violation).toBeUndefined()
    expect(claims).toContain(200)
    expect(claims).toContain(204)
  })

  it('that never says how a job ended is found by the jobs that do not end', async () => {
    const agent: AgentProgram = async (host) => {
      const { fingerprint } = host
      for (;;) {
        const answer = await host.request('/v1/jobs/claim', { fingerprint }, 'always the same')
        if (answer?.status === 200) return
        await host.sleep(1000)
      }
    }
    const { violation } = await simulate({ seed: 5, agent, scenario: { faults: [], jobs: 5 } })
    expect(violation?.rule).toBe('I4 every job ends once faults stop')
  })

  it('that throws is found', async () => {
    const agent: AgentProgram = () => Promise.reject(new Error('out of paper'))
    const { violation } = await simulate({ seed: 5, agent })
    expect(violation).toMatchObject({ rule: 'the agent works', detail: 'an agent threw Error: out of paper' })
  })
})

async function done(host: Parameters<AgentProgram>[0], job: { id: string; attempt: number }): Promise<void> {
  const { fingerprint } = host
  const word = { fingerprint, attempt: job.attempt, state: 'succeeded' }
  const answer = await host.request(`/v1/jobs/${job.id}/status`, word)
  if (answer === undefined || answer.status >= 429) await host.sleep(1000).then(() => done(host, job))
}
