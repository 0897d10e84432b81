import type { Scenario } from '../scenario.ts'
import { CLAIM_WAYS, claims } from './claim-parts.ts'

const way = { fleet: { hosts: 10_000, licenses: 10_000 }, pending: 300_000, pace: { workers: 64 } }

/** A claim that finds a job, with the check of the license, without HTTP. */
export const claimHit: Scenario = {
  name: 'claim-hit',
  question:
    'A claim that finds a job, license check included, 64 at once, 300,000 pending over 10,000 licenses',
  variants: [
    claims({ way: 'single', ...way }),
    claims({ way: 'svc', ...way }),
    claims({ way: 'transaction', ...way }),
  ],
  baseline: CLAIM_WAYS.single,
  gates: [
    { goal: 'hit', figure: 'perSecond', of: CLAIM_WAYS.svc, over: CLAIM_WAYS.single, atLeast: 2.3 },
    {
      goal: 'hit-transaction',
      figure: 'perSecond',
      of: CLAIM_WAYS.svc,
      over: CLAIM_WAYS.transaction,
      atLeast: 4.5,
    },
    { goal: 'hit-cpu', figure: 'cpuMicros', of: CLAIM_WAYS.svc, over: CLAIM_WAYS.single, atMost: 0.28 },
  ],
  isQuick: true,
}
