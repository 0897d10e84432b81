import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** How many characters of a password are judged. */
export const MAX_JUDGED_CHARS = 64

// The estimator works on the event loop, for 3 ms as a rule. What it takes at most grows faster than the
// length, and with the substitutions that are tried (`4` for `a`). The worst that 40 s of search found takes
// 112 ms with these two bounds, and 1.7 s with the library's own, 256 and 100: two busy cores, Node 24.
const MAX_SUBSTITUTIONS = 30

/**
 * How many guesses a password takes, by the list of 49,233 passwords from breaches and that of words for
 * passphrases. Loading this takes 0.1 s and 45 MB: import it when a password is set, not before.
 */
export const passwordEstimator = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: MAX_JUDGED_CHARS,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
})
