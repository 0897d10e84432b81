const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COMMA = 0x2c

/**
 * Whether a JSON text nests deeper than `maxDepth` or has more parts than `maxParts` (lists, objects, and
 * commas), found without parsing it. A parsed value nested 10,000 deep overflows the stack of every later
 * walk over it. Each part costs the parser many times what it costs to send: the 5 million lists that fit
 * into the largest log request take 0.5 s of the event loop. For text that is not JSON the result means
 * nothing, and the parser refuses the text anyway.
 */
export function isBeyond(text: string, maxDepth: number, maxParts: number): boolean {
  let depth = 0
  let parts = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfString(text, index)
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1
      parts += 1
      if (depth > maxDepth || parts > maxParts) return true
    } else if (code === COMMA) {
      parts += 1
      if (parts > maxParts) return true
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1
    }
  }
  return false
}

// The native search skips most strings in one call. After an escaped quote the loop reads every character,
// because a native search that stops at each of a million escaped quotes would cost more.
function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote
  let index = start + 1
  while (index < text.length && text.charCodeAt(index) !== QUOTE) {
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1
  }
  return index
}
