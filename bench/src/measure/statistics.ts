/** The middle of some numbers; the mean of the two middle ones when they are even in number; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** A figure over rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The median with the least and the most. */
export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
})

/**
 * The ratio of two figures, round by round: influences on both in a round (neighbours on the machine, a
 * checkpoint) cancel out, which a ratio of two medians would keep.
 */
export function pairedRatio(of: readonly number[], over: readonly number[]): Spread {
  const rounds = Math.min(of.length, over.length)
  return spreadOf(Array.from({ length: rounds }, (_, round) => (of[round] ?? 0) / (over[round] ?? 0)))
}
