import type { Scenario } from '../scenario.ts'
import { HEARTBEAT_WAYS, heartbeats } from './heartbeat-store-parts.ts'

const HOSTS_AT_ONCE = 64

/** A host that works lists its job in each heartbeat, which renews the lease: the host that matters most. */
export const heartbeatJobs: Scenario = {
  name: 'heartbeat-jobs',
  question: 'A heartbeat that lists one running job, in process, 64 at once, beside one that lists none',
  variants: [
    heartbeats('svc', HOSTS_AT_ONCE),
    heartbeats('listing', HOSTS_AT_ONCE),
    heartbeats('apart', HOSTS_AT_ONCE),
  ],
  baseline: HEARTBEAT_WAYS.svc,
  gates: [],
}
