import type { Environment } from '@svc/core'

const WEBHOOK_SECRET = 'the secret of a webhook'

/** Texts that open something by themselves, by what they are called. */
const SHAPES: readonly (readonly [what: string, shape: string])[] = [
  ['a license key', 'svc_[A-Za-z0-9_-]{43}'],
  ['a session cookie', 'v1[.][A-Za-z0-9_-]{43}[.][A-Za-z0-9_-]{43}'],
  ['a private key', '-----BEGIN [A-Z ]*PRIVATE KEY-----'],
  [WEBHOOK_SECRET, 'whsec_[A-Za-z0-9+/]{43}='],
]

/** The one table that has to keep a secret as it is: each message to the webhook is signed with it. */
const SIGNING_TABLE = 'alert_webhooks'

/** What must not stand in a table of a database, as one regular expression of PostgreSQL. */
export const leakPattern = (table: string): string =>
  SHAPES.filter(([what]) => table !== SIGNING_TABLE || what !== WEBHOOK_SECRET)
    .map(([, shape]) => shape)
    .join('|')

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
