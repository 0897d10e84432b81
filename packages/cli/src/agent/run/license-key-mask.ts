const MASK = '[license key]'

/**
 * A line without the license key: every occurrence is masked, overlapping ones together. A line of `maxChars`
 * may have been cut within the key, so the beginning of a key at its end is masked too.
 */
export function withoutKey(line: string, key: string, maxChars: number, mask = MASK): string {
  if (key === '') return line
  let said = ''
  let from = 0
  for (let at = line.indexOf(key); at >= 0; ) {
    said += line.slice(from, at) + mask
    from = at + key.length
    // One that begins within this one belongs to it: its rest must not stay behind.
    for (let next = line.indexOf(key, at + 1); next >= 0 && next < from; next = line.indexOf(key, next + 1))
      from = next + key.length
    at = line.indexOf(key, from)
  }
  const rest = line.slice(from)
  // A cut may have spared half of a surrogate pair.
  return said + (line.length >= maxChars - 1 ? withoutCutKey(rest, key, mask) : rest)
}

function withoutCutKey(text: string, key: string, mask: string): string {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(key.slice(0, length))) return text.slice(0, -length) + mask
  }
  return text
}
