/** Changes a text that comes in parts. However the text is cut into parts, the same comes out altogether. */
export interface TextFilter {
  /** Takes a part in; what may be shown now. */
  push(part: string): string
  /** What is left at the end. */
  end(): string
}
