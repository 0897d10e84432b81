import { FAMILY } from '../../../kernel/redaction/families.ts'
import { fold } from '../../../kernel/redaction/fold.ts'
import { redact } from '../../../kernel/redaction/redactor.ts'
import { readFamilies } from '../../../kernel/redaction/tripwire.ts'
import type { TextFilter } from './text-filter.ts'

const KEY_BEGINS = '-----BEGIN'
const KEY_ENDS = /-----END [A-Z0-9 ]{0,40}-----\s/g

function families(text: string): number {
  const reading = readFamilies(text)
  const folded = fold(text, reading.codes)
  return folded === text ? reading.families : readFamilies(folded).families
}

/**
 * A filter that redacts secrets, including secrets that are split over several parts. Whole words pass as
 * long as nothing on their line hints at a secret. From the first hint on, the line is held back until it
 * ends, and a private key until its end marker.
 */
export class SecretFilter implements TextFilter {
  #text = ''
  #shown = ''
  #passed = 0

  push(part: string): string {
    this.#text += part
    return this.#show(this.#boundary())
  }

  end(): string {
    return this.#show(this.#text.length)
  }

  #show(boundary: number): string {
    if (boundary <= this.#passed) return ''
    this.#passed = boundary
    const redacted = redact(this.#text.slice(0, boundary))
    // Shown text cannot be taken back: if redaction would now change it, nothing more is shown.
    if (!redacted.startsWith(this.#shown)) return ''
    const fresh = redacted.slice(this.#shown.length)
    this.#shown = redacted
    return fresh
  }

  #boundary(): number {
    const text = this.#text
    const end = wordsEnd(text)
    if (end <= this.#passed) return this.#passed
    const line = text.lastIndexOf('\n', end - 1) + 1
    const hasHint = families(text.slice(line, end)) !== 0
    const safe = beforeNumbers(text, hasHint ? this.#firstHint(line, end) : end)
    return Math.max(this.#passed, outsideKeys(text, this.#passed, safe))
  }

  /** Returns the start of a line's first word that hints at a secret. Passed text has no hint. */
  #firstHint(line: number, end: number): number {
    const text = this.#text
    let start = Math.max(line, this.#passed)
    for (const { index, 0: blank } of text.slice(start, end).matchAll(/\s+/g)) {
      const next = Math.max(line, this.#passed) + index + blank.length
      if (families(text.slice(line, next)) !== 0) break
      start = next
    }
    return start
  }
}

/** Returns the index after the last blank: the word after it may be incomplete. */
function wordsEnd(text: string): number {
  let end = text.length
  while (end > 0 && !/\s/.test(text[end - 1] ?? '')) end -= 1
  return end
}

/**
 * Returns `end`, or the start of the word whose number ends there: the first groups of a card number do not
 * reveal it yet.
 */
function beforeNumbers(text: string, end: number): number {
  let start = end
  while (start > 0 && /[\d -]/.test(text[start - 1] ?? '')) start -= 1
  if (!/\d/.test(text.slice(start, end))) return end
  while (start > 0 && !/\s/.test(text[start - 1] ?? '')) start -= 1
  return start
}

/** Returns the last index up to `end` that is not within a private key. */
function outsideKeys(text: string, from: number, end: number): number {
  if ((families(text.slice(from)) & FAMILY.pem) === 0) return end
  for (let at = from; ; ) {
    const begins = text.indexOf(KEY_BEGINS, at)
    if (begins === -1 || begins >= end) return end
    KEY_ENDS.lastIndex = begins
    if (KEY_ENDS.exec(text) === null || KEY_ENDS.lastIndex > end) return begins
    at = KEY_ENDS.lastIndex
  }
}
