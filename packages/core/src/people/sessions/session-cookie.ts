import { createHmac, timingSafeEqual } from 'node:crypto'
import { sameSecret } from '../../platform/signing/same-secret.ts'

/** Name of the session cookie (spec, Authentication). */
export const SESSION_COOKIE = 'svc_session'
/** Random bytes of a session id. */
export const SESSION_ID_BYTES = 32

const VALUE = /^v1\.([\w-]{43})\.([\w-]{43})$/
// Browsers send at most a few; a header with more is an attempt to guess values.
const MAX_CANDIDATES = 8

const mac = (secret: string, id: string) =>
  createHmac('sha256', secret).update(`${SESSION_COOKIE}.v1.${id}`).digest()

/** Returns the value of the cookie `svc_session`: `v1.<id>.<HMAC-SHA256>`. */
export const sealSession = (id: string, secret: string): string =>
  `v1.${id}.${mac(secret, id).toString('base64url')}`

/**
 * Returns the id of a sealed value if one of `secrets` sealed it. Every secret is tried, even after a match.
 */
export function openSession(value: string, secrets: readonly string[]): string | undefined {
  const [, id, seal] = VALUE.exec(value) ?? []
  if (id === undefined || seal === undefined) return undefined
  const given = Buffer.from(seal, 'base64url')
  const isOurs = secrets.reduce((found, secret) => timingSafeEqual(given, mac(secret, id)) || found, false)
  return isOurs ? id : undefined
}

/**
 * Returns the session id of a `Cookie` header if exactly one `svc_session` in it verifies, else undefined.
 */
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

const FORM_TOKEN = /^([\w-]{22})\.([\w-]{43})$/
const formSeal = (id: string, nonce: string) =>
  createHmac('sha256', id).update(`form.v1.${nonce}`).digest('base64url')

/** Random bytes of a form's nonce. */
export const FORM_NONCE_BYTES = 16

/** Returns the token of a form for a session: `<nonce>.<HMAC-SHA256 of the nonce under the session's id>`. */
export const sealForm = (id: string, nonce: string): string => `${nonce}.${formSeal(id, nonce)}`

/** Returns the nonce of a form's token if the session with this id got the form. */
export function openForm(token: string, id: string): string | undefined {
  const [, nonce, seal] = FORM_TOKEN.exec(token) ?? []
  if (nonce === undefined || seal === undefined) return undefined
  return sameSecret(seal, formSeal(id, nonce)) ? nonce : undefined
}
