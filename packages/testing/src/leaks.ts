import type { Environment } from '@svc/core'

/** Patterns of secrets, each with its name. */
const SHAPES: readonly (readonly [what: string, shape: string])[] = [
  ['a license key', 'svc_[A-Za-z0-9_-]{43}'],
  ['a session cookie', 'v1[.][A-Za-z0-9_-]{43}[.][A-Za-z0-9_-]{43}'],
  ['a private key', '-----BEGIN [A-Z ]*PRIVATE KEY-----'],
  ['the secret of a webhook', 'whsec_[A-Za-z0-9+/]{43}='],
  // 20 bytes in base32, as a word. One secret in 770 has no digit and is not found.
  ['the secret of one-time codes', '(?:^|[^A-Za-z0-9_-])(?=[A-Z]*[2-7])[A-Z2-7]{32}(?:$|[^A-Za-z0-9_-])'],
  ['a code for one use', '(?:[0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}'],
]

/**
 * Patterns of secrets that no table may contain, as regular expressions of PostgreSQL. They are separate,
 * since one joined expression takes 2.5 times as long.
 */
export const LEAK_PATTERNS: readonly string[] = SHAPES.map(([, shape]) => shape)

/** Settings whose values are secrets. */
const SECRET_SETTING = /(?:KEY|KEYS|SECRET|TOKEN|PRIVKEY|PASSWORD)$/
/** Shorter values are ordinary words of tests, which may occur anywhere. */
const MIN_SECRET_CHARS = 16

/**
 * Returns the names, never the values, of the plane's secrets that a text contains; empty when it contains
 * none.
 */
export function leaksIn(text: string, env: Environment): readonly string[] {
  const shaped = SHAPES.filter(([, shape]) => new RegExp(shape).test(text)).map(([what]) => what)
  const settings = Object.entries(env)
    .filter(([name, value]) => SECRET_SETTING.test(name) && (value?.length ?? 0) >= MIN_SECRET_CHARS)
    .filter(([, value]) => text.includes(value ?? ''))
    .map(([name]) => `the value of ${name}`)
  return [...shaped, ...settings]
}
