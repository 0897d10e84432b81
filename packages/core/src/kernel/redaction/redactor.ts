import { findSecrets } from './find-secrets.ts'
import { fold, placesOf } from './fold.ts'
import { readFamilies } from './tripwire.ts'

/**
 * A replacement can reveal another secret that a match had hidden; texts so far needed at most two rounds.
 */
const MAX_ROUNDS = 4
/**
 * Four times the longest single text that any route accepts. A longer text gets one round, to bound its time.
 */
const LONG_TEXT_CHARS = 32_768

function sweep(text: string): string {
  let reading = readFamilies(text)
  const folded = fold(text, reading.codes)
  if (folded !== text) reading = readFamilies(folded)
  if (reading.families === 0) return text
  const spans = findSecrets(folded, reading.families)
  if (spans.length === 0) return text
  const places = folded === text ? undefined : placesOf(text, folded)
  const parts: string[] = []
  let done = 0
  for (const { start, end, kind } of spans) {
    parts.push(text.slice(done, places?.start(start) ?? start), `[redacted:${kind}]`)
    done = places?.end(end - 1) ?? end
  }
  return [...parts, text.slice(done)].join('')
}

/**
 * Returns the text with every known secret replaced by `[redacted:<kind>]` (docs/security.md). All
 * other text stays the same, byte for byte: patterns match the compatibility form (NFKC) without zero-width
 * characters and terminal colours, but replacements are made in the original. Redacting twice changes
 * nothing. The time is linear in the length of the text. Log lines without a secret take about three times as
 * long as writing and reading them as JSON.
 */
export function redact(text: string): string {
  let redacted = text
  const rounds = text.length > LONG_TEXT_CHARS ? 1 : MAX_ROUNDS
  for (let round = 0; round < rounds; round++) {
    const before = redacted
    redacted = sweep(before)
    if (redacted === before) break
  }
  return redacted
}
