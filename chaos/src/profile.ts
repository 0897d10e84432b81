/** What kinds of work a run is made of. */
export const PROFILES = ['fast', 'slow'] as const
/** One of them. */
export type ProfileName = (typeof PROFILES)[number]

/** A range, both ends included. */
export type Span = readonly [least: number, most: number]

/** Sizes and paces of a run. One profile alone is blind to half of the faults that it should find. */
export interface Profile {
  readonly licenses: number
  readonly hostsPerLicense: number
  /** Processes that the light agents are spread over, so that each license has hosts in several of them. */
  readonly crowds: number
  /** Licenses that also have a reference agent, in a process of its own. */
  readonly referenceAgents: number
  /** Jobs that wait for each license. */
  readonly queued: number
  readonly logRequests: Span
  readonly linesPerRequest: Span
  /** Before every step of a job, in shares of the lease. */
  readonly pause: Span
  /** How often a pause is longer than the lease. */
  readonly longPause: number
  /** How often a host forgets the job that it works on. */
  readonly amnesia: number
  readonly pollMs: number
}

/**
 * `fast`: many short jobs, which is evidence for durability. `slow`: jobs about as long as the lease, a short
 * queue and pauses before every step, so that a job that was lost goes to a host that is slow too, and is
 * still unfinished when the late writes of the first arrive.
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
