import type { TextFilter } from '../../../../src/reach/chat/answer/text-filter.ts'

/** Cuts a text into parts, with the lengths of `lengths` in turn. */
export function partsOf(text: string, lengths: readonly number[]): string[] {
  const parts: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    parts.push(text.slice(at, at + length))
    at += length
  }
  return parts
}

/** Returns the text that a filter shows after each part, and at the end. */
export function shown(filter: TextFilter, parts: readonly string[]): string[] {
  return [...parts.map((part) => filter.push(part)), filter.end()]
}
