/** Returns the first `length` code points of a text, so that no character is cut in two. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return Array.from(text.slice(0, length * 2))
    .slice(0, length)
    .join('')
}
