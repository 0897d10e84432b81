import { verify as verifyBytes } from 'node:crypto'
import type { VerificationKeys } from './json-web-key.ts'
import { decodeBase64url } from './key-text.ts'
import type { SigningKey } from './signing-key.ts'

/** Longest small token, in characters. */
export const MAX_SMALL_TOKEN_CHARS = 4096
/** Seconds that the clock of the signer may be ahead of ours. */
const SKEW_SECONDS = 60
const SIGNATURE_BYTES = 64

/** The facts of a small token that every kind of it has; times in whole unix seconds. */
export interface SmallTokenFacts {
  readonly v: 1
  readonly kid: string
  readonly aud: string
  readonly nbf: number
  readonly exp: number
}

/** The payload of a small token whose signature holds, or the reason why there is none. */
export type SmallTokenVerdict =
  | { readonly ok: true; readonly payload: SmallTokenFacts & Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: 'invalid' | 'not-yet-valid' | 'expired' }

/**
 * Returns `<prefix>.<payload>.<signature>`, in base64url. The signature covers the prefix too, so that one
 * key signs several kinds of tokens, and none passes for another.
 */
export function signSmallToken(key: SigningKey, prefix: string, payload: object): string {
  const signed = `${prefix}.${Buffer.from(JSON.stringify({ ...payload, kid: key.kid })).toString('base64url')}`
  return `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`
}

/**
 * Verifies a small token. Nothing of it is read before its signature holds, under one of the published keys;
 * its `kid` has to name that key. An expired one is good to the second: the service that counts its uses has
 * signed it.
 */
export function verifySmallToken(
  text: string,
  { prefix, keys, aud, now }: { prefix: string; keys: VerificationKeys; aud: string; now: Date },
): SmallTokenVerdict {
  const invalid = { ok: false, reason: 'invalid' } as const
  const parts = text.length <= MAX_SMALL_TOKEN_CHARS ? text.split('.') : []
  const [head = '', body = '', tail = ''] = parts
  const [bytes, signature] = [decodeBase64url(body), decodeBase64url(tail)]
  if (parts.length !== 3 || head !== prefix || signature?.length !== SIGNATURE_BYTES || !bytes) return invalid
  const signed = Buffer.from(`${head}.${body}`)
  const [kid] = [...keys].find(([, key]) => verifyBytes(null, signed, key, signature)) ?? []
  if (kid === undefined) return invalid
  const payload = parsed(bytes)
  if (!isFacts(payload) || payload.kid !== kid || payload.aud !== aud) return invalid
  const seconds = now.getTime() / 1000
  if (payload.nbf > seconds + SKEW_SECONDS) return { ok: false, reason: 'not-yet-valid' }
  return payload.exp > seconds ? { ok: true, payload } : { ok: false, reason: 'expired' }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}

function isFacts(value: unknown): value is SmallTokenFacts & Readonly<Record<string, unknown>> {
  const { v, kid, aud, nbf, exp } = (value ?? {}) as Partial<Record<keyof SmallTokenFacts, unknown>>
  const isTimed = Number.isSafeInteger(nbf) && Number.isSafeInteger(exp)
  return v === 1 && typeof kid === 'string' && typeof aud === 'string' && isTimed
}
