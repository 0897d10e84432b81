import { type SimulationOptions, simulate } from '@svc/testing'

const SEEDS_MOST = 1000

/** The first seed that breaks a promise, and the promise. */
export async function firstFailing(
  options: Omit<SimulationOptions, 'seed'>,
): Promise<{ readonly seed: number; readonly rule: string } | undefined> {
  for (let seed = 1; seed <= SEEDS_MOST; seed += 1) {
    const { violation } = await simulate({ ...options, seed })
    if (violation !== undefined) return { seed, rule: violation.rule }
  }
  return undefined
}
