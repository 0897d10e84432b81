import { hash, timingSafeEqual } from 'node:crypto'

/** The SHA-256 of a secret, lower-case hex: what is stored and logged in its place. */
export function secretDigest(secret: string): string {
  return hash('sha256', secret)
}

/**
 * Whether two secrets are equal, in a time that tells nothing about where they differ or how long they are:
 * both are digested first. An empty secret equals nothing, so an unset one never opens a gate.
 */
export function sameSecret(given: string, expected: string): boolean {
  const same = timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
  return same && given !== ''
}
