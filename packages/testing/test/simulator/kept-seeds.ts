import type { Scenario } from '@svc/testing/simulator'

/** A seed that every test run repeats. */
export interface KeptSeed {
  readonly seed: number
  /** Sizes and faults that override the seed's own draws, from the shrunk run. */
  readonly scenario?: Partial<Omit<Scenario, 'seed'>>
  /** Why the seed is kept, as a sentence. */
  readonly why: string
}

/**
 * Seeds that found a fault of the product, each added together with the fix: seed and scenario from the
 * report, and the fault. Planted faults are not kept by seed, as any change of the simulator's draws moves
 * them: planted-bugs.test.ts looks for the first seed that finds each.
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
    seed: 935563120,
    why: 'a success of an attempt from before reaches an open breaker, and five failures of others follow',
  },
]
