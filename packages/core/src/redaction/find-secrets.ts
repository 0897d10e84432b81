import type { SecretPattern } from './pattern.ts'
import { SECRET_PATTERNS } from './patterns.ts'

/** A stretch of text that must not be seen. */
export interface Span {
  readonly start: number
  end: number
  kind: string
  rank: number
}

/**
 * Labelled values up to this length are looked into again: "secret: password = …" is about the password, and
 * so is what follows "password: license key: …" about the key. In a longer one all of it is the secret.
 */
const REREAD_CHARS = 64

/**
 * Rejected candidates are looked into again whatever their length: "secret: [picture](https://…?token=…)" holds a
 * token. The work stays linear because a pattern reads so many characters twice, and four times the text; the
 * candidate that would be beyond that, which only a text made for it has, is taken for a secret.
 */
const REREAD_AT_LEAST = 4_096
const REREAD_TIMES = 4

/**
 * Where the secrets of these families stand, in order and apart from each other. Overlapping matches are one
 * stretch, of the kind that stands first in the table.
 */
export function findSecrets(text: string, families: number): Span[] {
  const spans: Span[] = []
  for (const [rank, pattern] of SECRET_PATTERNS.entries()) {
    if ((pattern.family & families) === 0 || !text.includes(pattern.needle ?? '')) continue
    const { kind, expression } = pattern
    let rereadable = REREAD_AT_LEAST + REREAD_TIMES * text.length
    expression.lastIndex = 0
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const start = match.index + (match[1]?.length ?? 0)
      const reach = expression.lastIndex
      const extent = extentOf(pattern, text, match, reach)
      if (extent === 0) rereadable -= reach - start
      const length = rereadable < 0 ? reach - start : extent
      if (length > 0) {
        const isLabelled = start > match.index && length <= REREAD_CHARS
        expression.lastIndex = isLabelled ? start : start + length
        spans.push({ start, end: start + length, kind, rank })
      } else expression.lastIndex = Math.max(start, match.index + 1)
    }
  }
  return merge(spans)
}

function extentOf({ extent }: SecretPattern, text: string, match: RegExpExecArray, reach: number): number {
  const lead = match[1] ?? ''
  const candidate = match[0].slice(lead.length)
  return extent === undefined ? candidate.length : extent(candidate, lead, text.slice(reach, reach + 2))
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
