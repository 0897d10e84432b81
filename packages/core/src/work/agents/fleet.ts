import { unixSeconds } from '../../kernel/clock.ts'
import { type Agent, agentId, agentState, secondsAhead } from './agent.ts'

/** One host as fleet readers see it (spec, Fleet server entry). Instants are unix seconds, 0 if never. */
export interface FleetServer {
  readonly id: string
  readonly hostname: string
  readonly label: string
  readonly state: string
  readonly version: string
  readonly org: string
  readonly last_heartbeat: number
}

/** The backups of one host as fleet readers see them (spec, Fleet backup entry). */
export interface FleetBackup {
  readonly hostname: string
  readonly last_capture_at: number
  readonly success: boolean
  readonly image_count: number
  readonly repo_bytes: number
  readonly last_drill_at: number
  readonly drill_pass: boolean
  /** By how much the host's times are ahead of ours, when they are: then they say nothing of an age. */
  readonly clock_ahead_seconds?: number
}

/** The fleet server entry of a host at `now`. */
export const fleetServer = (agent: Agent, org: string, now: Date): FleetServer => ({
  id: agentId(agent.fingerprint),
  hostname: agent.hostname,
  label: agent.label,
  state: agentState(agent, now),
  version: agent.version,
  org,
  last_heartbeat: unixSeconds(agent.lastHeartbeat),
})

/** A host as operators see it: as fleet readers do, and whether it gets no new jobs. */
export interface OperatorServer extends FleetServer {
  readonly drained?: true
}

/** The operators' entry of a host at `now`. */
export const operatorServer = (agent: Agent, org: string, now: Date): OperatorServer => ({
  ...fleetServer(agent, org, now),
  ...(agent.drainedAt === undefined ? {} : { drained: true }),
})

// The spec fixes both at 0: captured images are counted by a ledger that is not part of this read.
const UNCOUNTED = 0

/** By how many seconds the times that a host gave are ahead of `now`, as a field; none if they are not. */
export function clockAhead(agent: Agent, now: Date): { readonly clock_ahead_seconds?: number } {
  const times = [agent.lastCaptureAt, agent.lastDrillAt].map((each) => secondsAhead(each, now) ?? 0)
  const most = Math.max(...times)
  return most === 0 ? {} : { clock_ahead_seconds: most }
}

/** The fleet backup entry of a host at `now`: the host's instants in whole seconds. */
export const fleetBackup = (agent: Agent, now: Date): FleetBackup => ({
  hostname: agent.hostname,
  last_capture_at: Math.floor(agent.lastCaptureAt ?? 0),
  success: agent.captureSuccess ?? false,
  image_count: UNCOUNTED,
  repo_bytes: UNCOUNTED,
  last_drill_at: Math.floor(agent.lastDrillAt ?? 0),
  drill_pass: agent.drillPass ?? false,
  ...clockAhead(agent, now),
})
