import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import type { ListedJob } from '../jobs/jobs-store.ts'
import type { Agent } from './agent.ts'
import { clockAhead, operatorServer } from './fleet.ts'

/** The facts of the view of one host. */
export interface HostFacts {
  readonly agent: Agent
  readonly org: string
  /** `''` for a license without a label, or one that was never issued. */
  readonly licenseLabel: string
  /** Jobs that the host holds. */
  readonly jobs: readonly ListedJob[]
  readonly now: Date
}

/**
 * Everything that is known of one host, as operators see it. Instants in unix seconds; values that the host
 * never reported are left out.
 */
export const hostView = ({ agent, org, licenseLabel, jobs, now }: HostFacts) => ({
  ...operatorServer(agent, org, now),
  ...presentSeconds('drained_at', agent.drainedAt),
  license_id: agent.licenseId,
  ...present('license_label', licenseLabel || undefined),
  fingerprint: agent.fingerprint,
  ...present('boot_id', agent.bootId || undefined),
  ...present('cpu_pct', agent.cpuPct),
  ...present('mem_pct', agent.memPct),
  ...present('disk_pct', agent.diskPct),
  ...present('disk_total_gb', agent.diskTotalGb),
  ...present('last_capture_at', agent.lastCaptureAt),
  ...present('capture_success', agent.captureSuccess),
  ...present('last_drill_at', agent.lastDrillAt),
  ...present('drill_pass', agent.drillPass),
  ...clockAhead(agent, now),
  ...present('kinds', agent.kinds),
  ...present('concurrency', agent.concurrency),
  first_seen_at: unixSeconds(agent.firstSeenAt),
  ...present('access_key', agent.accessKey),
  ...presentSeconds('access_key_at', agent.accessKeyAt),
  jobs: jobs.map(({ id, kind, app, state, claimedAt }) => ({
    id,
    kind,
    ...present('app', app),
    state,
    claimed_at: unixSeconds(claimedAt),
  })),
})
/** Everything that is known of one host, as operators see it. */
export type HostView = ReturnType<typeof hostView>
