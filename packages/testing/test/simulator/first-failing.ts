import { type SimulationOptions, simulate } from '@svc/testing/simulator'

const SEEDS_MOST = 1000

/** Returns the first of `most` seeds that breaks a promise, and the promise; undefined if none does. */
export async function firstFailing(
  options: Omit<SimulationOptions, 'seed'>,
  most = SEEDS_MOST,
): Promise<{ readonly seed: number; readonly rule: string } | undefined> {
  for (let seed = 1; seed <= most; seed += 1) {
    const { violation } = await simulate({ ...options, seed })
    if (violation !== undefined) return { seed, rule: violation.rule }
  }
  return undefined
}
