import type { RateCounter } from '@svc/core'

/** Counts nothing: for tests that ask more often than anybody may. */
export const unlimited: RateCounter = {
  backend: 'memory',
  count: async () => ({ count: 1, windowLeftMs: 60_000 }),
}
