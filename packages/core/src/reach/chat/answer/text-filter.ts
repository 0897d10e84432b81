/**
 * A filter of a text that arrives in parts. Its whole output is the same however the text is cut into parts.
 */
export interface TextFilter {
  /** Takes a part; returns the text that may be shown now. */
  push(part: string): string
  /** Returns the text that is left at the end. */
  end(): string
}
