import type { Random } from '../../../packages/testing/src/simulator/random.ts'

/** Faults that a plan inflicts on a run, beside the faults by the proxy and by the agents themselves. */
export const INJURIES = [
  'kill server',
  'kill postgres',
  'kill crowd',
  'kill agent',
  'freeze server',
  'freeze crowd',
  'freeze agent',
  'exhaust pool',
  'lock jobs',
  'disconnect',
  'cancel',
  'suspend',
  'revoke',
] as const
/** The name of a planned fault. */
export type Injury = (typeof INJURIES)[number]

/** One planned fault: when it begins, in milliseconds after the start, and how long it lasts. */
export interface Planned {
  readonly atMs: number
  readonly injury: Injury
  readonly lengthMs: number
}

/** Mean seconds between two faults of a kind, and the milliseconds that each lasts. */
interface Pace {
  readonly every: number
  readonly lasts?: readonly [number, number]
}

/** Some freezes and locks outlast the lease, others end within it. */
const paces = (leaseMs: number): Readonly<Record<Injury, Pace>> => ({
  'kill server': { every: 2.4 },
  'kill postgres': { every: 7.5 },
  'kill crowd': { every: 6 },
  'kill agent': { every: 6 },
  'freeze server': { every: 8, lasts: [leaseMs * 0.5, leaseMs * 1.6] },
  'freeze crowd': { every: 7, lasts: [leaseMs * 0.7, leaseMs * 1.8] },
  'freeze agent': { every: 9, lasts: [leaseMs * 0.7, leaseMs * 1.8] },
  'exhaust pool': { every: 9, lasts: [500, 2000] },
  'lock jobs': { every: 9, lasts: [300, 2500] },
  disconnect: { every: 6 },
  cancel: { every: 0.4 },
  suspend: { every: 2.5, lasts: [300, 1500] },
  revoke: { every: 5 },
})

/** Plans the faults of a run. The same seed gives the same plan. */
export function plan(
  random: Random,
  seconds: number,
  leaseMs: number,
  without: readonly Injury[],
): readonly Planned[] {
  const pace = paces(leaseMs)
  const planned = INJURIES.flatMap((injury) => {
    const own = random.fork()
    if (without.includes(injury)) return []
    const { every, lasts = [0, 0] } = pace[injury]
    const list: Planned[] = []
    for (let at = 1 + every * own.fraction(); at < seconds; at += every * (0.5 + own.fraction()))
      list.push({ atMs: at * 1000, injury, lengthMs: own.between(lasts[0], lasts[1]) })
    return list
  })
  return planned.sort((one, other) => one.atMs - other.atMs)
}
