import type { Scenario } from '../scenario.ts'
import { CLAIM_WAYS, claims } from './claim-parts.ts'

const way = { fleet: { hosts: 10_000, licenses: 10_000 }, pending: 0, pace: { rate: 2000 } }

/**
 * The claims of a fleet of 10,000 hosts, which are far below the server's capacity: batching must not cost
 * there.
 */
export const claimPaced: Scenario = {
  name: 'claim-paced',
  question: 'Empty claims at 2,000 a second, license check included, against one prepared statement each',
  variants: [
    claims({ way: 'single', ...way }),
    claims({ way: 'svc', ...way }),
    claims({ way: 'look', ...way }),
  ],
  baseline: CLAIM_WAYS.single,
  // A round has 20,000 claims: in one of 4,000, a single stall decides the p99.
  seconds: 10,
  gates: [
    {
      goal: 'paced-p99',
      figure: 'p99',
      of: CLAIM_WAYS.svc,
      over: CLAIM_WAYS.single,
      pieces: CLAIM_WAYS.look,
      atMost: 0.5,
    },
    {
      goal: 'paced-cpu',
      figure: 'cpuMicros',
      of: CLAIM_WAYS.svc,
      over: CLAIM_WAYS.single,
      pieces: CLAIM_WAYS.look,
      atMost: 0.85,
    },
  ],
}
