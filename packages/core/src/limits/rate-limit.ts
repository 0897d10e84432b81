/**
 * How many requests of one subject pass in a window. The window opens with the subject's first request and is
 * fixed.
 */
export interface RateLimit {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
}

/** What a counter knows after it has counted a request. */
export interface RateCount {
  /** Requests of the subject in its open window, this one included. */
  readonly count: number
  /** Milliseconds until the window ends, more than 0. */
  readonly windowLeftMs: number
}

/** The answer to one request. */
export interface RateVerdict {
  readonly allowed: boolean
  /** Whole seconds until the window ends, at least 1: what `Retry-After` says, enough and not one more. */
  readonly retryAfterSeconds: number
  /** How many more requests pass in this window. */
  readonly remaining: number
  /**
   * Whether the subject goes on far beyond its limit, as nothing does that heeds a refusal: it can be
   * answered late.
   */
  readonly floods: boolean
}

/** Times its limit that a subject may ask in a window before it floods. */
const FLOOD_FACTOR = 4

/** Judges a counted request: the first `limit` of a window pass, refused ones count too. */
export function judge(limit: RateLimit, { count, windowLeftMs }: RateCount): RateVerdict {
  return {
    allowed: count <= limit.limit,
    retryAfterSeconds: Math.max(1, Math.ceil(windowLeftMs / 1000)),
    remaining: Math.max(0, limit.limit - count),
    floods: count > FLOOD_FACTOR * limit.limit,
  }
}
