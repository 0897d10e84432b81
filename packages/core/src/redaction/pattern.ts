/** One row of the table of secrets. */
export interface SecretPattern {
  /** What stands in the place of the secret: `[redacted:<kind>]`. */
  readonly kind: string
  /** The bits of `FAMILY` that make this pattern worth running. */
  readonly family: number
  /** What every match contains: asked for first, because looking for it costs next to nothing. */
  readonly needle?: string
  /**
   * Global. The first group, where there is one, is the lead: it begins the match and stays in the text; the
   * rest of the match is the secret. Every quantifier is bounded or ends the pattern over one class of
   * characters, so that the work is linear in the text however hostile it is.
   */
  readonly expression: RegExp
  /**
   * Looks at a candidate more closely than an expression can: how many of its characters are the secret, 0
   * for none. `next` is the text after it, two characters at most. Absent: all of them.
   */
  readonly extent?: (candidate: string, lead: string, next: string) => number
}

/** An extent of all or nothing. */
export function whenever(accepts: (candidate: string, lead: string, next: string) => boolean) {
  return (candidate: string, lead: string, next: string) =>
    accepts(candidate, lead, next) ? candidate.length : 0
}

/**
 * Where a token may begin: not inside a word, except after an escape of another notation (`\n` in JSON, `%20`
 * in a URL), which ends in letters or digits.
 */
export const EDGE = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`
