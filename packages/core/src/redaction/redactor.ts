import { fold, foldWithPlaces, needsFolding } from './fold.ts'
import { SECRET_PATTERNS } from './patterns.ts'
import { readFamilies } from './tripwire.ts'

/** A stretch of text that must not be seen. */
interface Span {
  readonly start: number
  end: number
  kind: string
  rank: number
}

/** Rejected candidates up to this length are looked into again from their second character. */
const REREAD_CHARS = 64

/** A replacement can only lay bare what stood hidden behind another secret; it never took more than two rounds. */
const MAX_ROUNDS = 4

function collect(text: string, families: number): Span[] {
  const spans: Span[] = []
  for (const [rank, { kind, family, expression, extent }] of SECRET_PATTERNS.entries()) {
    if ((family & families) === 0) continue
    expression.lastIndex = 0
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const lead = match.groups?.lead ?? ''
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

function sweep(text: string): string {
  let reading = readFamilies(text)
  const folds = needsFolding(text, reading.codes)
  if (folds) reading = readFamilies(fold(text))
  if (reading.families === 0) return text
  const folded = folds ? foldWithPlaces(text) : undefined
  let redacted = ''
  let done = 0
  for (const { start, end, kind } of collect(folded?.text ?? text, reading.families)) {
    redacted += `${text.slice(done, folded?.start(start) ?? start)}[redacted:${kind}]`
    done = folded?.end(end - 1) ?? end
  }
  return done === 0 ? text : redacted + text.slice(done)
}

/**
 * The text with every known secret replaced by `[redacted:<kind>]`; wire-app §4, "Redactor". Text without a secret
 * comes back byte for byte, and so does everything around a secret: the patterns read the text in its compatibility
 * form (NFKC) without zero-width characters and terminal colours, but only the found stretches are replaced in the
 * original. Redacting twice changes nothing. Linear in the length of the text.
 */
export function redact(text: string): string {
  let redacted = text
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = redacted
    redacted = sweep(before)
    if (redacted === before) break
  }
  return redacted
}

/**
 * {@link redact} for one line of a job's log, before it is stored. The same work: the one pass that finds nothing to
 * look for is the cheap path already (1,000 lines of 200 characters: FIGURE ms).
 */
export const redactLine: (line: string) => string = redact
