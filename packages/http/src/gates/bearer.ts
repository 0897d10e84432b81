const SCHEME = 'bearer '
const MAX_CREDENTIAL_CHARS = 512

/**
 * The credential of `Authorization: Bearer <credential>`: one header, one or more blanks (RFC 9110, section
 * 11.4), 1 to 512 visible ASCII characters; undefined for anything else.
 */
export function bearerOf(rawHeaders: readonly string[]): string | undefined {
  const value = onlyAuthorization(rawHeaders)
  if (value === undefined || value.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  let start = SCHEME.length
  while (value[start] === ' ') start += 1
  const credential = value.slice(start)
  const fits = credential.length > 0 && credential.length <= MAX_CREDENTIAL_CHARS
  return fits && isVisible(credential) ? credential : undefined
}

/** Whether a text has only visible ASCII characters, and no blanks. */
export function isVisible(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x21 || code > 0x7e) return false
  }
  return true
}

// Returns undefined for several headers: Node keeps the first, but a proxy may have authorized the caller of
// another.
function onlyAuthorization(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue
    if (found !== undefined) return undefined
    found = rawHeaders[index + 1]
  }
  return found
}
