/** One row of the table of secrets. */
export interface SecretPattern {
  /** Kind of the secret, for its mark `[redacted:<kind>]`. */
  readonly kind: string
  /** The bits of `FAMILY` that make the pattern run. */
  readonly family: number
  /** Text that every match contains. It is searched first, since that is much cheaper. */
  readonly needle?: string
  /**
   * A global expression. The first group, if any, is the lead, which begins the match and stays in the text;
   * the rest of the match is the secret. Every quantifier is bounded or ends the pattern over one class of
   * characters, so that the work is linear even for hostile text.
   */
  readonly expression: RegExp
  /**
   * Returns how many characters of a candidate are the secret, 0 for none. `next` is at most two characters
   * of text after it. Default: all of them.
   */
  readonly extent?: (candidate: string, lead: string, next: string) => number
}

/** Returns an `extent` that accepts a candidate as a whole or not at all. */
export function whenever(accepts: (candidate: string, lead: string, next: string) => boolean) {
  return (candidate: string, lead: string, next: string) =>
    accepts(candidate, lead, next) ? candidate.length : 0
}

/**
 * Matches a position where a token may begin: not inside a word, except after an escape that ends in letters
 * or digits (`\n` in JSON, `%20` in a URL).
 */
export const EDGE = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`
