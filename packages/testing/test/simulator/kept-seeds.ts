import type { Scenario } from '@svc/testing/simulator'

/** A seed that every test run repeats, since it found a fault that few other seeds find. */
export interface KeptSeed {
  readonly seed: number
  /** Sizes and faults that override the seed's own draws, from the shrunk run. */
  readonly scenario?: Partial<Omit<Scenario, 'seed'>>
  /** Why the seed is kept, as a sentence. */
  readonly why: string
  /**
   * The planted fault that the seed finds; undefined if it found a fault of the product, which is fixed
   * since.
   */
  readonly planted?: string
}

/**
 * Seeds to keep. A seed that found a fault of the product is added here together with the fix: seed and
 * scenario from the report, and what was wrong. The other seeds find the planted faults that took the most
 * seeds to find: so few seeds find these that a change of the simulator may lose them.
 */
export const KEPT_SEEDS: readonly KeptSeed[] = [
  {
    seed: 1709,
    scenario: {
      licenses: 3,
      hosts: 6,
      jobs: 2,
      seconds: 340,
      alerts: true,
      faults: ['agent-pause', 'clock-offset', 'database-jump', 'agent-crash'],
    },
    why: 'a replica with a late clock opens the second alert of a host, which was taken for the older one and never ended',
  },
  {
    seed: 105486,
    why: 'a host is back between the beginning of the last tick and its evaluation: its alert may end there',
  },
  {
    seed: 36936014,
    why: 'a reinstatement without an answer takes effect after a later one has ended, and after a suspension',
  },
  {
    seed: 819,
    why: 'refused requests of one license come again after the first of them were written, and no replica crashes',
    planted: 'alert: refused requests wait for ever to be counted',
  },
  {
    seed: 500,
    why: 'a license is still over the bound of refused requests when the run ends',
    planted: 'alert: refused requests are not kept',
  },
  {
    seed: 84,
    why: 'a host names the job of another host in a heartbeat while that one holds it',
    planted: 'heartbeat: another host of the license renews a lease',
  },
  {
    seed: 196,
    why: 'a replica dies between a job and its deployment',
    planted: 'deployment: stored outside the transaction of its job',
  },
  {
    seed: 93,
    why: 'a claim reads a job that somebody else changes before it has written',
    planted: 'claim: read first, written later',
  },
  {
    seed: 59,
    why: 'a receiver answers after the lease of its delivery, which another replica has taken by then',
    planted: 'delivery: settled without its lease',
  },
  {
    seed: 57,
    why: 'a heartbeat that names an attempt of before comes while the same host holds the job again',
    planted: 'heartbeat: an old attempt renews the lease of a new one',
  },
  {
    seed: 935563120,
    why: 'a success of an attempt from before reaches an open breaker, and five failures of others follow',
  },
  {
    seed: 3,
    why: 'a condition ends while ticks go on, late enough in the run that its alert must be over',
    planted: 'alert: never resolves',
  },
  {
    seed: 36,
    why: 'a heartbeat from before a restart comes after one from behind it, in the last ten minutes',
    planted: 'alert: two machines that speak for one host are not seen',
  },
]
