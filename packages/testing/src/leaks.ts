import type { Environment } from '@svc/core'

/** Texts that open something by themselves, by what they are called. */
const SHAPES: readonly (readonly [what: string, shape: string])[] = [
  ['a license key', 'svc_[A-Za-z0-9_-]{43}'],
  ['a session cookie', 'v1[.][A-Za-z0-9_-]{43}[.][A-Za-z0-9_-]{43}'],
  ['a private key', '-----BEGIN [A-Z ]*PRIVATE KEY-----'],
]

/** The same for a database, as one regular expression of PostgreSQL. */
export const LEAK_PATTERN = SHAPES.map(([, shape]) => shape).join('|')

/** Settings whose values are secrets. */
const SECRET_SETTING = /(?:KEY|KEYS|SECRET|TOKEN|PRIVKEY)$/
/** Shorter values are words of tests, which may stand anywhere. */
const MIN_SECRET_CHARS = 16

/** What of a plane's secrets stands in a text, by name: never the value. Empty when all is well. */
export function leaksIn(text: string, env: Environment): readonly string[] {
  const shaped = SHAPES.filter(([, shape]) => new RegExp(shape).test(text)).map(([what]) => what)
  const settings = Object.entries(env)
    .filter(([name, value]) => SECRET_SETTING.test(name) && (value?.length ?? 0) >= MIN_SECRET_CHARS)
    .filter(([, value]) => text.includes(value ?? ''))
    .map(([name]) => `the value of ${name}`)
  return [...shaped, ...settings]
}
