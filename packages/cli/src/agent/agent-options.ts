import type { Clock, Log } from '@svc/core'
import type { HandlerUser } from './run/handler-user.ts'

/** Intervals and time limits of an agent, all in milliseconds. */
export interface AgentTiming {
  /** Wait after a claim that found nothing, spread over 0.75 to 1.25 of this value. */
  readonly pollMs: number
  /** Wait between heartbeats until the plane sets one (`next_interval`). */
  readonly heartbeatMs: number
  /** Shortest wait between heartbeats that the plane may set. */
  readonly heartbeatFloorMs: number
  /**
   * How often `running` is reported: docs/agents.md asks for at least every 20 s, because the report renews
   * the lease and its answer carries cancels.
   */
  readonly renewMs: number
  /** How often log lines are sent; without it the job's own `log.interval_seconds`. */
  readonly logIntervalMs: number | undefined
  /** Wait between SIGTERM and SIGKILL when work is ended. */
  readonly killGraceMs: number
  /** How long a draining agent lets its running jobs continue before it gives them back. */
  readonly drainMs: number
  /** How long a stopping agent tries to report the outcomes of its jobs. */
  readonly farewellMs: number
  /** Wait between two looks at the rules of the firewall. */
  readonly tendMs: number
  /** Time limit of one exchange with the plane. */
  readonly requestTimeoutMs: number
  /** First and longest wait before an exchange is tried again. */
  readonly retryFloorMs: number
  readonly retryCeilingMs: number
}

/** Default timing of an agent. */
export const AGENT_TIMING: AgentTiming = {
  pollMs: 5_000,
  heartbeatMs: 60_000,
  heartbeatFloorMs: 5_000,
  renewMs: 15_000,
  logIntervalMs: undefined,
  killGraceMs: 10_000,
  drainMs: 300_000,
  farewellMs: 10_000,
  tendMs: 60_000,
  requestTimeoutMs: 30_000,
  retryFloorMs: 500,
  retryCeilingMs: 30_000,
}

/**
 * Inputs of an agent. It reads no environment itself, installs no signal handler and never ends the process.
 */
export interface AgentOptions {
  /** Base address of the plane; a path in it is kept. */
  readonly url: string
  /** Sent as bearer token to the plane only: not stored, not logged, not given to handlers. */
  readonly licenseKey: string
  /** Folder of the agent's own state, made with mode 0700. One agent per folder. */
  readonly stateDir: string
  /** Folder of executables named after job kinds. */
  readonly handlersDir: string
  /** Writes those executables, as soon as the state folder is this agent's alone. */
  readonly writeHandlers?: (() => Promise<void>) | undefined
  readonly hostname: string
  /** Version of the agent, shown in the fleet list. */
  readonly version: string
  readonly log: Log
  readonly clock: Clock
  /** Identity of the host; absent: one is minted once and kept in the state folder. */
  readonly fingerprint?: string | undefined
  /** Claim at most one job, run it and end; end at once when there is none. */
  readonly once?: boolean | undefined
  /** Jobs run at the same time; 1 when absent. */
  readonly concurrency?: number | undefined
  /** The process environment: handlers see an allow-listed part of it, exchanges use its proxy settings. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /** The user that handlers run as; absent: the agent's own. Needs root. */
  readonly handlerUser?: HandlerUser | undefined
  /** Lets the agent change the firewall and the hardening of its host; absent: it takes no such jobs. */
  readonly firewall?: { readonly root: string } | undefined
  /** The words that start this program; absent: handlers have none that keeps applications running. */
  readonly program?: readonly string[] | undefined
  /** Whether this is the agent of a trial, whose person sits at the host. */
  readonly isTrial?: boolean | undefined
  /** Further variables for handlers, passed as they are. */
  readonly handlerEnvironment?: Readonly<Record<string, string>> | undefined
  readonly timing?: Partial<AgentTiming> | undefined
}
