import { findSecrets } from './find-secrets.ts'
import { fold, placesOf } from './fold.ts'
import { readFamilies } from './tripwire.ts'

/**
 * A replacement can only lay bare what stood hidden behind another secret; it never took more than two
 * rounds.
 */
const MAX_ROUNDS = 4
/**
 * Four times what any route takes as one text. What is longer gets one round, so that its time stays bounded
 * too.
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
 * The text with every known secret replaced by `[redacted:<kind>]`; wire-app §4, "Redactor". Text without a
 * secret comes back byte for byte, and so does everything around a secret: the patterns read the text in its
 * compatibility form (NFKC) without zero-width characters and terminal colours, but only the found stretches
 * are replaced in the original. Redacting twice changes nothing. Linear in the length of the text; for 1,000
 * log lines of 200 characters without a secret about three times what JSON needs to write and read them: one
 * pass that finds nothing is all they get.
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
