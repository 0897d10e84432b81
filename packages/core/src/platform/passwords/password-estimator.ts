import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Number of characters of a password that are judged. */
export const MAX_JUDGED_CHARS = 64

// The estimator blocks the event loop. Its worst time grows faster than the length and the number of tried
// substitutions (`4` for `a`). With these two bounds, the worst password that a search found takes 112 ms.
const MAX_SUBSTITUTIONS = 30

/**
 * Estimates the number of guesses for a password, by a list of passwords from breaches and one of words for
 * passphrases. Loading it takes 45 MB: import it only when a password is set.
 */
export const passwordEstimator = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: MAX_JUDGED_CHARS,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
})
