import type { Fault } from '../plant/fault.ts'

/** The least share of the listed faults that `npm test` notices. */
export const SHARE = 0.77

/** Suites that start processes, or need a build. */
const OF_PROCESSES =
  /^(?:bench|siege|chaos|test)\/|\/process\/|\/deploy-|\/browser\/(?:chromium|domains|leaks)/

/** A suite that starts, at least, in seconds. */
const LEAST_SECONDS = 0.7

/** Whether a ring has all suites named for a fault: one of several notices it, nobody knows which. */
const isNoticed = ({ suites }: Fault, ring: ReadonlySet<string>): boolean =>
  suites.every((suite) => ring.has(suite))

/** Returns the share of faults that the suites of a ring are known to notice. */
export function shareOf(faults: readonly Fault[], ring: readonly string[]): number {
  const suites = new Set(ring)
  return faults.filter((fault) => isNoticed(fault, suites)).length / faults.length
}

/**
 * Chooses suites in the order of the faults that they notice a second, until they would take more than
 * `most` seconds one after the other. Suites without a time are left out.
 */
export function chosenRing({
  faults,
  suites,
  seconds,
  most,
}: {
  readonly faults: readonly Fault[]
  readonly suites: readonly string[]
  readonly seconds: ReadonlyMap<string, number>
  readonly most: number
}): readonly string[] {
  const noticed = new Map<string, number>()
  for (const { suites: named } of faults)
    for (const suite of named) noticed.set(suite, (noticed.get(suite) ?? 0) + 1 / named.length)
  const inProcess = suites.filter((suite) => !OF_PROCESSES.test(suite))
  const timed = inProcess.flatMap((suite) => {
    const taken = seconds.get(suite)
    const count = noticed.get(suite)
    return taken === undefined || count === undefined
      ? []
      : [{ suite, seconds: Math.max(taken, LEAST_SECONDS), count }]
  })
  timed.sort((one, other) => other.count / other.seconds - one.count / one.seconds)
  let left = most
  const chosen = timed.filter((each) => {
    if (each.seconds > left) return false
    left -= each.seconds
    return true
  })
  return chosen.map(({ suite }) => suite).toSorted()
}
