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
