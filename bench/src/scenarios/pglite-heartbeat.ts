import type { Scenario } from '../scenario.ts'
import { HEARTBEAT_WAYS, pgliteHeartbeats } from './heartbeat-store-parts.ts'

const WORKERS = 64

/** The embedded database has one connection: joining statements matters most there. */
export const pgliteHeartbeat: Scenario = {
  name: 'pglite-heartbeat',
  question: 'A heartbeat into a PGlite folder, 64 at once, against one upsert each',
  variants: [
    pgliteHeartbeats('single', WORKERS),
    pgliteHeartbeats('svc', WORKERS),
    pgliteHeartbeats('crowd', WORKERS),
  ],
  baseline: HEARTBEAT_WAYS.single,
  gates: [
    {
      goal: 'pglite',
      figure: 'perSecond',
      of: HEARTBEAT_WAYS.svc,
      over: HEARTBEAT_WAYS.single,
      pieces: HEARTBEAT_WAYS.crowd,
      atLeast: 12,
    },
  ],
}
