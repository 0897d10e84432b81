import { hash, timingSafeEqual } from 'node:crypto'

/** Returns the SHA-256 of a secret in lower-case hex, to store and log in its place. */
export function secretDigest(secret: string): string {
  return hash('sha256', secret)
}

/**
 * Returns whether two secrets are equal, in constant time: both are hashed first, so the time reveals neither
 * length nor content. An empty secret equals nothing, so that an unset one never grants access.
 */
export function sameSecret(given: string, expected: string): boolean {
  const same = timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
  return same && given !== ''
}
