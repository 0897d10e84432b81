import { drawFaults, type Fault } from './fault.ts'
import { Random } from './random.ts'

/** The sizes and the fault mix of one run. */
export interface Scenario {
  readonly seed: number
  readonly faults: readonly Fault[]
  readonly licenses: number
  /** The number of hosts of all licenses; each license has at least one. */
  readonly hosts: number
  readonly replicas: number
  readonly jobs: number
  readonly leaseSeconds: number
  /** Length of the run without the extra time for stragglers; faults stop at 60 % of it. */
  readonly seconds: number
  /** Seconds between two claims of an idle agent. */
  readonly claimSeconds: number
  /** Share of agents that leave out `attempt`, `offset` and idempotency keys. */
  readonly sloppy: number
  /** Hosts of different licenses report the same fingerprints: machines cloned from one image. */
  readonly cloned: boolean
  /** Whether refreshes and activations are signed. */
  readonly signed: boolean
  /** Whether alerts are evaluated and announced. */
  readonly alerts: boolean
}

/** Share of a run with faults. */
export const FAULTY_SHARE = 0.6

// One run in `FLEET_EVERY` is of a large fleet. The others are small, as races between few processes are more
// frequent there.
const FLEET_EVERY = 200
const SIGNED_EVERY = 100

// A run with alerts takes half as long again, since evaluations read all tables.
const ALERTS_SHARE = 0.2

/** Returns the scenario of a seed. */
export function drawScenario(seed: number): Scenario {
  const random = new Random(seed)
  const faults = drawFaults(random)
  const isFleet = random.chance(1 / FLEET_EVERY)
  const licenses = isFleet ? random.between(5, 12) : random.between(1, 3)
  return {
    seed,
    faults,
    licenses,
    hosts: isFleet ? random.between(100, 300) : Math.max(licenses, random.between(1, 5)),
    replicas: random.between(1, 3),
    jobs: isFleet ? random.between(100, 300) : random.between(3, 16),
    leaseSeconds: random.pick([20, 30, 60]),
    seconds: random.between(150, 400),
    claimSeconds: random.between(8, 20),
    sloppy: random.chance(0.5) ? 0 : random.fraction(),
    cloned: random.chance(0.3),
    signed: random.chance(1 / SIGNED_EVERY),
    alerts: random.chance(ALERTS_SHARE),
  }
}

/**
 * Returns the seconds that jobs may take to end after faults have stopped: for leases, pauses and cancels to
 * time out, for claims, and for the work itself, at worst one job after the other.
 */
export function stragglerSeconds({ leaseSeconds, claimSeconds, jobs }: Scenario): number {
  const cancelSeconds = 300
  const workSeconds = Math.min(jobs, 40) * (45 + claimSeconds)
  return 10 * leaseSeconds + 3 * cancelSeconds + 5 * claimSeconds + workSeconds
}
