/** The names of the profiles. */
export const PROFILES = ['fast', 'slow'] as const
/** The name of a profile. */
export type ProfileName = (typeof PROFILES)[number]

/** A range, both ends included. */
export type Span = readonly [least: number, most: number]

/** Sizes and paces of a run. Each profile alone misses half of the planted faults. */
export interface Profile {
  readonly licenses: number
  readonly hostsPerLicense: number
  /** Processes of light agents. The hosts of each license are spread over several. */
  readonly crowds: number
  /** Licenses that also have a reference agent, in a process of its own. */
  readonly referenceAgents: number
  /** Pending jobs of each license. */
  readonly queued: number
  readonly logRequests: Span
  readonly linesPerRequest: Span
  /** The pause before every step of a job, as a share of the lease. */
  readonly pause: Span
  /** The probability that a pause is longer than the lease. */
  readonly longPause: number
  /** The probability, at each log request, that a host forgets its job. */
  readonly amnesia: number
  readonly pollMs: number
}

/**
 * `fast`: many short jobs, which test durability. `slow`: jobs about as long as the lease, a short queue and
 * pauses before every step. There, a reclaimed job goes to a host that is slow too, so it is still unfinished
 * when the late writes of the first host arrive.
 */
export const PROFILE: Readonly<Record<ProfileName, Profile>> = {
  fast: {
    licenses: 20,
    hostsPerLicense: 2,
    crowds: 3,
    referenceAgents: 2,
    queued: 5,
    logRequests: [2, 4],
    linesPerRequest: [60, 180],
    pause: [0, 0.01],
    longPause: 0.01,
    amnesia: 0.01,
    pollMs: 150,
  },
  slow: {
    licenses: 12,
    hostsPerLicense: 4,
    crowds: 4,
    referenceAgents: 2,
    queued: 1,
    logRequests: [1, 3],
    linesPerRequest: [40, 160],
    pause: [0.05, 0.45],
    longPause: 0.14,
    amnesia: 0.03,
    pollMs: 200,
  },
}
