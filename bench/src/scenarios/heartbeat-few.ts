import type { Scenario } from '../scenario.ts'
import { HEARTBEAT_WAYS, heartbeats } from './heartbeat-store-parts.ts'

const at = (workers: number): Scenario => ({
  name: `heartbeat-${workers}`,
  question: `A heartbeat in process, ${workers} at once: what batching costs where there is nothing to batch`,
  variants: [heartbeats('single', workers), heartbeats('svc', workers), heartbeats('statement', workers)],
  baseline: HEARTBEAT_WAYS.single,
  gates: [
    {
      goal: `few-${workers}`,
      figure: 'perSecond',
      of: HEARTBEAT_WAYS.svc,
      over: HEARTBEAT_WAYS.single,
      ...(workers === 1 && { pieces: HEARTBEAT_WAYS.statement }),
      atLeast: 0.9,
    },
  ],
})

/** With one to four callers at once there is nothing to batch; it must not cost more than a tenth. */
export const heartbeatFew: readonly Scenario[] = [at(1), at(4)]
