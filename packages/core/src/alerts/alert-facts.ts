import type { Agent } from '../agents/agent.ts'
import type { Job } from '../jobs/job.ts'
import type { License } from '../licenses/license.ts'
import type { MonitorTrouble } from '../monitors/monitor.ts'

/** A fingerprint for which two machines speak: one came back after another had reported. */
export interface Clone {
  readonly licenseId: string
  readonly fingerprint: string
  /** Hostnames and boot ids that reported under it of late. */
  readonly hostnames: readonly string[]
  readonly bootIds: readonly string[]
  readonly returnedAt: Date
}

/** Requests of a license that its rate limits refused of late. */
export interface Refusals {
  readonly licenseId: string
  readonly count: number
}

/** A time in which nothing was evaluated: no tick ran, so nobody looked. */
export interface TickGap {
  readonly from: Date
  readonly until: Date
}

/** The latest failure of something that jobs do, with no success of it since. */
export type FailedJob = Job

/** Everything that the rules look at. */
export interface AlertFacts {
  readonly hosts: readonly Agent[]
  readonly clones: readonly Clone[]
  readonly failures: readonly FailedJob[]
  readonly licenses: readonly License[]
  readonly troubles: readonly MonitorTrouble[]
  readonly refusals: readonly Refusals[]
  /** The latest gap, while it is news. */
  readonly gap: TickGap | undefined
  /** How long the monitor that waits longest has been due, in seconds. */
  readonly monitorsOverdueSeconds: number
}

/** A fingerprint is a clone while it alternates: so long after it last did, in seconds. */
export const CLONE_SECONDS = 600
/** Refused requests count for so long, in seconds. */
export const REFUSAL_SECONDS = 300
/** A gap between ticks is news for so long after its end, in seconds. */
export const GAP_NEWS_SECONDS = 3600

/** Facts that alerts alone keep or look up. */
export interface AlertFactsStore {
  /** Fingerprints whose former identity came back within the last `CLONE_SECONDS`. */
  clones(now?: Date): Promise<readonly Clone[]>
  /**
   * Of each thing that jobs do (an application; else a kind on a host) the failure that nothing has made good
   * since.
   */
  failures(withinSeconds: number, now?: Date): Promise<readonly FailedJob[]>
  /** Adds refused requests of a license. */
  addRefusals(licenseId: string, count: number, now?: Date): Promise<void>
  /** Refused requests of the last `REFUSAL_SECONDS`, to the minute. */
  refusals(now?: Date): Promise<readonly Refusals[]>
  /**
   * Notes an evaluation; the latest time of more than `gapSeconds` between two, if it ended within
   * `GAP_NEWS_SECONDS`.
   */
  evaluated(gapSeconds: number, now?: Date): Promise<TickGap | undefined>
}
