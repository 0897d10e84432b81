import type { Scenario } from '../scenario.ts'
import { CLAIM_WAYS, claims } from './claim-parts.ts'

const way = { fleet: { hosts: 10_000, licenses: 10_000 }, pending: 0, pace: { workers: 64 } }

/** An empty claim without HTTP, beside the least that a database can be asked. */
export const claimNone: Scenario = {
  name: 'claim-none',
  question: 'An empty claim, license check included, 64 at once, against one `select 1` each',
  variants: [
    claims({ way: 'nothing', ...way }),
    claims({ way: 'svc', ...way }),
    claims({ way: 'look', ...way }),
    claims({ way: 'single', ...way }),
  ],
  baseline: CLAIM_WAYS.nothing,
  gates: [
    {
      goal: 'empty-select-1',
      figure: 'perSecond',
      of: CLAIM_WAYS.svc,
      over: CLAIM_WAYS.nothing,
      pieces: CLAIM_WAYS.look,
      atLeast: 6,
    },
  ],
  isQuick: true,
}
