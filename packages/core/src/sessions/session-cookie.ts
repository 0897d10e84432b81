import { createHmac, timingSafeEqual } from 'node:crypto'

/** The cookie's name (spec, Authentication). */
export const SESSION_COOKIE = 'svc_session'
/** Random bytes of a session id. */
export const SESSION_ID_BYTES = 32

const VALUE = /^v1\.([\w-]{43})\.([\w-]{43})$/
// Browsers send at most a few; a header with more is somebody trying values.
const MAX_CANDIDATES = 8

const mac = (secret: string, id: string) =>
  createHmac('sha256', secret).update(`${SESSION_COOKIE}.v1.${id}`).digest()

/** `v1.<id>.<HMAC-SHA256>`: what the cookie `svc_session` holds. */
export const sealSession = (id: string, secret: string): string =>
  `v1.${id}.${mac(secret, id).toString('base64url')}`

/** The id of a sealed value, if any of `secrets` sealed it; every secret is tried, whichever matches. */
export function openSession(value: string, secrets: readonly string[]): string | undefined {
  const [, id, seal] = VALUE.exec(value) ?? []
  if (id === undefined || seal === undefined) return undefined
  const given = Buffer.from(seal, 'base64url')
  const isOurs = secrets.reduce((found, secret) => timingSafeEqual(given, mac(secret, id)) || found, false)
  return isOurs ? id : undefined
}

/** The session id of a `Cookie` header in which exactly one `svc_session` verifies; undefined otherwise. */
export function sessionIdOf(header: string | undefined, secrets: readonly string[]): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1))
  if (values.length > MAX_CANDIDATES) return undefined
  const ids = values.map((value) => openSession(value, secrets)).filter((id) => id !== undefined)
  return ids.length === 1 ? ids[0] : undefined
}
