/**
 * The order of the variants' measurements: A B C, then C B A, so that none always follows the same neighbour.
 */
export function interleaved<T>(variants: readonly T[], rounds: number): readonly (readonly T[])[] {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? variants : variants.toReversed()))
}
