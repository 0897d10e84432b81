import type { TextFilter } from '../../src/chat/text-filter.ts'

/** A text in parts whose lengths go round in `lengths`. */
export function partsOf(text: string, lengths: readonly number[]): string[] {
  const parts: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    parts.push(text.slice(at, at + length))
    at += length
  }
  return parts
}

/** What a filter shows of a text that comes in parts: after each part, and at the end. */
export function shown(filter: TextFilter, parts: readonly string[]): string[] {
  return [...parts.map((part) => filter.push(part)), filter.end()]
}
