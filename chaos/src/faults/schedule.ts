import type { Random } from '../../../packages/testing/src/simulator/random.ts'

/** What is done to a run, beside what the proxy and the agents do to themselves. */
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
/** One of them. */
export type Injury = (typeof INJURIES)[number]

/** One thing to do, so many milliseconds after the start, for so long. */
export interface Planned {
  readonly atMs: number
  readonly injury: Injury
  readonly lengthMs: number
}

/** Seconds between two of a kind in the mean, and milliseconds that one lasts. */
interface Pace {
  readonly every: number
  readonly lasts?: readonly [number, number]
}

/** SIGSTOP and locks outlast the lease in part, and stay within it in part. */
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

/** The faults of a run, by one source of randomness: the same seed plans the same. */
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
