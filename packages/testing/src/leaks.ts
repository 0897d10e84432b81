import type { Environment } from '@svc/core'

const WEBHOOK_SECRET = 'the secret of a webhook'
const CODE_SECRET = 'the secret of one-time codes'

/** Patterns of secrets, each with its name. */
const SHAPES: readonly (readonly [what: string, shape: string])[] = [
  ['a license key', 'svc_[A-Za-z0-9_-]{43}'],
  ['a session cookie', 'v1[.][A-Za-z0-9_-]{43}[.][A-Za-z0-9_-]{43}'],
  ['a private key', '-----BEGIN [A-Z ]*PRIVATE KEY-----'],
  [WEBHOOK_SECRET, 'whsec_[A-Za-z0-9+/]{43}='],
  // 20 bytes in base32, as a word. One secret in 770 has no digit and is not found.
  [CODE_SECRET, '(?:^|[^A-Za-z0-9_-])(?=[A-Z]*[2-7])[A-Z2-7]{32}(?:$|[^A-Za-z0-9_-])'],
  ['a recovery code', '(?:[0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}'],
]

/**
 * Tables that must store a secret in plain text: it signs webhook messages, or one-time codes are computed
 * from it.
 */
const KEEPERS: Readonly<Record<string, string>> = {
  alert_webhooks: WEBHOOK_SECRET,
  second_factors: CODE_SECRET,
}

/**
 * Returns the patterns of secrets that a table must not contain, as regular expressions of PostgreSQL. They
 * are separate, since one joined expression takes 2.5 times as long.
 */
export const leakPatterns = (table: string): readonly string[] =>
  SHAPES.filter(([what]) => what !== KEEPERS[table]).map(([, shape]) => shape)

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
