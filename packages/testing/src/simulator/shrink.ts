import type { Scenario } from './scenario.ts'
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'

/**
 * The result of shrinking a scenario that breaks a promise: the traced run of the smallest scenario found.
 */
export interface Shrunk {
  readonly result: SimulationResult
  /** The number of runs that shrinking took. */
  readonly runs: number
}

type Sizes = Partial<Omit<Scenario, 'seed'>>

const RUNS_MOST = 80

/** Removes faults, replicas, hosts, licenses and jobs as long as the run still breaks the same promise. */
export async function shrink(options: SimulationOptions, rule: string): Promise<Shrunk> {
  let best: Sizes = (await simulate(options)).scenario
  let runs = 1
  for (let isSmaller = true; isSmaller && runs < RUNS_MOST; ) {
    isSmaller = false
    for (const next of smaller(best)) {
      if (runs >= RUNS_MOST) break
      runs += 1
      const { violation } = await simulate({ ...options, scenario: next })
      if (violation?.rule !== rule) continue
      best = next
      isSmaller = true
      break
    }
  }
  return { result: await simulate({ ...options, scenario: best, isTraced: true }), runs }
}

/** Yields scenarios that are one step smaller, the largest steps first. */
function* smaller(scenario: Sizes): Generator<Sizes> {
  const {
    faults = [],
    hosts = 1,
    jobs = 1,
    replicas = 1,
    licenses = 1,
    sloppy = 0,
    cloned,
    signed,
  } = scenario
  if (faults.length > 0) yield { ...scenario, faults: [] }
  if (faults.length > 1) {
    const half = Math.ceil(faults.length / 2)
    yield { ...scenario, faults: faults.slice(half) }
    yield { ...scenario, faults: faults.slice(0, half) }
  }
  if (jobs > 2) yield { ...scenario, jobs: Math.floor(jobs / 2) }
  if (hosts > licenses) yield { ...scenario, hosts: Math.max(licenses, Math.floor(hosts / 2)) }
  if (licenses > 1) yield { ...scenario, licenses: licenses - 1 }
  if (replicas > 1) yield { ...scenario, replicas: replicas - 1 }
  if (cloned || signed || sloppy > 0) yield { ...scenario, cloned: false, signed: false, sloppy: 0 }
  if (scenario.alerts) yield { ...scenario, alerts: false }
  for (const fault of faults) yield { ...scenario, faults: faults.filter((each) => each !== fault) }
  if (jobs > 1) yield { ...scenario, jobs: jobs - 1 }
  if (hosts > licenses) yield { ...scenario, hosts: hosts - 1 }
}
