import { cut } from '../../kernel/cut.ts'
import type { JobKind } from '../jobs/job.ts'

/** Seconds between two heartbeats that the service asks for (spec, Limits). */
export const HEARTBEAT_SECONDS = 60
/** Silence after which a host counts as offline, in seconds: two intervals and 20 s. */
export const OFFLINE_SECONDS = 140
/** Characters of the fingerprint that its display id shows (spec, Fleet server entry). */
const ID_CHARS = 12

/** A host as its heartbeats and its operators describe it. Instants are the database's. */
export interface Agent {
  readonly licenseId: string
  readonly fingerprint: string
  readonly hostname: string
  /** The operator's name for the host; `''` when unset. */
  readonly label: string
  /** The state that the host last reported; `''` when it never did. */
  readonly reportedState: string
  readonly version: string
  readonly bootId: string
  readonly cpuPct: number | undefined
  readonly memPct: number | undefined
  readonly diskPct: number | undefined
  readonly diskTotalGb: number | undefined
  /** Unix seconds as the host counted them. */
  readonly lastCaptureAt: number | undefined
  readonly captureSuccess: boolean | undefined
  readonly lastDrillAt: number | undefined
  readonly drillPass: boolean | undefined
  readonly lastHeartbeat: Date | undefined
  readonly drainedAt: Date | undefined
  /** Kinds of jobs that the host runs; undefined if it never said. */
  readonly kinds: readonly JobKind[] | undefined
  /** How many jobs the host runs at a time; undefined if it never said. */
  readonly concurrency: number | undefined
  readonly firstSeenAt: Date
  /** The key that the host asks for sessions with, pinned at first contact. */
  readonly accessKey: string | undefined
  readonly accessKeyAt: Date | undefined
  /** When the host last asked for sessions with another key than the pinned one; accurate to a minute. */
  readonly accessRefusedAt: Date | undefined
  /** Kinds of sessions that the host carries; undefined if it never said, or did not when it last asked. */
  readonly accessModes: readonly string[] | undefined
}

/**
 * The display id of a host. It is for people and does not identify the host: fingerprints that share a prefix
 * have the same one. It has whole code points, as the database's `left` has.
 */
export const agentId = (fingerprint: string): string => `agt_${cut(fingerprint, ID_CHARS)}`

/**
 * The state that lists, alerts, metrics and the command line show: the reported one while heartbeats come,
 * otherwise `offline` or `unknown`.
 */
export function agentState(agent: Pick<Agent, 'lastHeartbeat' | 'reportedState'>, now: Date): string {
  if (agent.lastHeartbeat === undefined) return 'unknown'
  if (now.getTime() - agent.lastHeartbeat.getTime() > OFFLINE_SECONDS * 1000) return 'offline'
  return agent.reportedState === '' ? 'online' : agent.reportedState
}

/** Seconds that the clock of a host may be ahead of ours. */
export const AHEAD_SECONDS = 300

/**
 * Returns by how many seconds a time that a host gave, in unix seconds, is ahead of `now`, or undefined if
 * that is within the usual difference of clocks. Such a time says that the host's clock is wrong, or was, and
 * nothing else: taken for an age it would be young for as long as it lies ahead.
 */
export function secondsAhead(given: number | undefined, now: Date): number | undefined {
  const ahead = (given ?? 0) - now.getTime() / 1000
  return ahead > AHEAD_SECONDS ? Math.min(Math.ceil(ahead), Number.MAX_SAFE_INTEGER) : undefined
}
