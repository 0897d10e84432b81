import { HEADER_PATTERNS } from './header-patterns.ts'
import { LABELLED_PATTERNS } from './labelled-patterns.ts'
import type { SecretPattern } from './pattern.ts'
import { PROVIDER_PATTERNS } from './provider-patterns.ts'
import { STRUCTURED_PATTERNS } from './structured-patterns.ts'

/**
 * Ordered table of secrets. Overlapping matches are redacted together, under the kind of the earliest row:
 * specific patterns come first, labelled values last.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...PROVIDER_PATTERNS,
  ...STRUCTURED_PATTERNS,
  ...HEADER_PATTERNS,
  ...LABELLED_PATTERNS,
]

/** Range of a secret in a text. */
export interface Span {
  readonly start: number
  end: number
  kind: string
  rank: number
}

/**
 * Labelled values up to this length are searched again for another label: in "secret: password = …" the
 * secret is the password, and in "password: license key: …" the key. A longer value is a secret as a whole.
 */
const REREAD_CHARS = 64

/**
 * Rejected candidates of any length are searched again: "secret: [picture](https://…?token=…)" has a token in
 * it. To keep the work linear, each pattern may reread at most 4,096 characters and four times the text. A
 * candidate beyond that counts as a secret; only a hostile text reaches the limit.
 */
const REREAD_AT_LEAST = 4_096
const REREAD_TIMES = 4

/**
 * Returns the ranges of all secrets of these families, ordered and disjoint. Overlapping matches become one
 * range, of the kind that comes first in the table.
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
