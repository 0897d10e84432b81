import type { Scenario } from '@svc/testing'

/** A seed that is run every time, since it once showed what few others show. */
export interface KeptSeed {
  readonly seed: number
  /** Sizes and faults other than those that the seed draws: what was left when the trace was shrunk. */
  readonly scenario?: Partial<Omit<Scenario, 'seed'>>
  /** Why it is kept, as a sentence. */
  readonly why: string
  /** A planted fault that it finds; with a fault of the product, which is mended, there is none. */
  readonly planted?: string
}

/**
 * Seeds to keep. A seed at which a fault of the product was found gets a line here, together with the
 * mending: seed and scenario from the report, and what was wrong. The others are those at which planted
 * faults were found latest: of ordinary seeds so few meet what they meet that a change of the simulator may
 * lose it.
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
    seed: 28,
    why: 'a host names the job of another host in a heartbeat while that one holds it',
    planted: 'heartbeat: another host of the license renews a lease',
  },
  {
    seed: 110,
    why: 'a replica dies between a job and its deployment',
    planted: 'deployment: stored outside the transaction of its job',
  },
  {
    seed: 93,
    why: 'a claim reads a job that somebody else changes before it has written',
    planted: 'claim: read first, written later',
  },
  {
    seed: 142,
    why: 'a receiver answers after the lease of its delivery, which another replica has taken by then',
    planted: 'delivery: settled without its lease',
  },
  {
    seed: 57,
    why: 'a heartbeat that names an attempt of before comes while the same host holds the job again',
    planted: 'heartbeat: an old attempt renews the lease of a new one',
  },
  {
    seed: 59,
    why: 'a condition ends while ticks go on, late enough in the run that its alert must be over',
    planted: 'alert: never resolves',
  },
  {
    seed: 36,
    why: 'a heartbeat from before a restart comes after one from behind it, in the last ten minutes',
    planted: 'alert: two machines that speak for one host are not seen',
  },
]
