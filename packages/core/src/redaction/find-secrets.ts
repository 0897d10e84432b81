import { SECRET_PATTERNS } from './patterns.ts'

/** A stretch of text that must not be seen. */
export interface Span {
  readonly start: number
  end: number
  kind: string
  rank: number
}

/** Rejected candidates up to this length are looked into again from their second character. */
const REREAD_CHARS = 64

/**
 * Where the secrets of these families stand, in order and apart from each other. Overlapping matches are one stretch,
 * of the kind that stands first in the table.
 */
export function findSecrets(text: string, families: number): Span[] {
  const spans: Span[] = []
  for (const [rank, { kind, family, needle, expression, extent }] of SECRET_PATTERNS.entries()) {
    if ((family & families) === 0 || (needle !== undefined && !text.includes(needle))) continue
    expression.lastIndex = 0
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const lead = match[1] ?? ''
      const start = match.index + lead.length
      const matched = match[0].length - lead.length
      const next = text.slice(expression.lastIndex, expression.lastIndex + 2)
      const length = extent === undefined ? matched : extent(match[0].slice(lead.length), lead, next)
      if (length > 0) spans.push({ start, end: start + length, kind, rank })
      if (length > 0) expression.lastIndex = start + length
      else if (matched <= REREAD_CHARS) expression.lastIndex = start + 1
    }
  }
  return merge(spans)
}

function merge(spans: Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.sort((a, b) => a.start - b.start || a.rank - b.rank)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) {
      merged.push(span)
      continue
    }
    last.end = Math.max(last.end, span.end)
    if (span.rank < last.rank) [last.kind, last.rank] = [span.kind, span.rank]
  }
  return merged
}
