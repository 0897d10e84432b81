/**
 * Requests of one subject that pass in a window. The window opens with the subject's first request and has a
 * fixed length.
 */
export interface RateLimit {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
}

/** The state of a subject's window after a request was counted. */
export interface RateCount {
  /** Requests of the subject in its open window, this one included. */
  readonly count: number
  /** Milliseconds until the window ends, more than 0. */
  readonly windowLeftMs: number
}

/** The verdict on one request. */
export interface RateVerdict {
  readonly allowed: boolean
  /** Whole seconds until the window ends, rounded up, at least 1: the value of `Retry-After`. */
  readonly retryAfterSeconds: number
  /** Requests that still pass in this window. */
  readonly remaining: number
  /**
   * Whether the subject keeps asking far beyond its limit, as no client does that heeds refusals; its answers
   * may be delayed.
   */
  readonly isFlooding: boolean
}

/** Multiple of the limit above which a subject floods. */
const FLOOD_FACTOR = 4

/** Judges a counted request: the first `limit` of a window pass; refused requests count too. */
export function judge(limit: RateLimit, { count, windowLeftMs }: RateCount): RateVerdict {
  return {
    allowed: count <= limit.limit,
    retryAfterSeconds: Math.max(1, Math.ceil(windowLeftMs / 1000)),
    remaining: Math.max(0, limit.limit - count),
    isFlooding: count > FLOOD_FACTOR * limit.limit,
  }
}
