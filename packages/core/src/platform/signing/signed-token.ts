import { verify as verifyBytes } from 'node:crypto'
import type { VerificationKeys } from './json-web-key.ts'
import { decodeBase64url } from './key-text.ts'
import type { SigningKey } from './signing-key.ts'

/** Types of tokens: one for each purpose, so that no signature is valid for another. */
export const TOKEN_TYPES = ['svc-act+jwt', 'svc-rfr+jwt', 'svc-relay+jwt'] as const

/**
 * `svc-act+jwt`: activation token. `svc-rfr+jwt`: signed refresh of a heartbeat. `svc-relay+jwt`: ticket to a
 * relay.
 */
export type TokenType = (typeof TOKEN_TYPES)[number]

/** Claims of a token. Every token has an audience and an expiry, in whole unix seconds. */
export interface TokenClaims {
  readonly aud: string
  readonly exp: number
  readonly [claim: string]: unknown
}

/** Reason why a token was refused. The signature and the type are checked before the claims. */
export type TokenRefusal =
  | 'malformed'
  | 'wrong-algorithm'
  | 'wrong-type'
  | 'unknown-key'
  | 'bad-signature'
  | 'wrong-audience'
  | 'not-yet-valid'
  | 'expired'

/** Result of a verification: the claims of a valid token, or the reason for its refusal. */
export type TokenVerdict =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: TokenRefusal }

/** Expected properties of a token. */
export interface TokenExpectation {
  readonly keys: VerificationKeys
  readonly typ: TokenType
  readonly audience: string
  readonly now: Date
  /** Tolerated difference of the clocks, in seconds; default: `CLOCK_LEEWAY_SECONDS`. */
  readonly leewaySeconds?: number
}

/** Tolerated difference between the clocks of signer and verifier for `exp` and `nbf`, in seconds. */
export const CLOCK_LEEWAY_SECONDS = 30

/** Longest accepted token, far more than any of ours; a longer one is refused before decoding. */
const MAX_TOKEN_CHARS = 16_384
const SIGNATURE_BYTES = 64

const headers = new WeakMap<SigningKey, Map<TokenType, string>>()

function encodedHeader(key: SigningKey, typ: TokenType): string {
  const known = headers.get(key) ?? new Map<TokenType, string>()
  headers.set(key, known)
  const header = known.get(typ) ?? encode({ alg: 'EdDSA', typ, kid: key.kid })
  known.set(typ, header)
  return header
}

/**
 * Returns a compact JWS (RFC 7515, RFC 8037) of `claims`. Throws `RangeError` unless `exp` is whole unix
 * seconds.
 */
export function signToken(key: SigningKey, typ: TokenType, claims: TokenClaims): string {
  const signed = signingInput(key, typ, claims)
  return `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`
}

/** Signs a token like `signToken`, but on a thread of Node's pool. */
export async function signTokenOnThread(
  key: SigningKey,
  typ: TokenType,
  claims: TokenClaims,
): Promise<string> {
  const signed = signingInput(key, typ, claims)
  return `${signed}.${(await key.signOnThread(Buffer.from(signed))).toString('base64url')}`
}

function signingInput(key: SigningKey, typ: TokenType, claims: TokenClaims): string {
  if (!Number.isSafeInteger(claims.exp)) throw new RangeError('exp must be whole unix seconds')
  return `${encodedHeader(key, typ)}.${encode(claims)}`
}

/**
 * Verifies a token: shape, fixed algorithm, type, known `kid`, signature, audience, `nbf` and `exp` (both
 * with the leeway). A token without `exp` is malformed. OpenSSL verifies the signature, because
 * it refuses the second spelling (S + L) of a valid signature, which tweetnacl accepts.
 */
export function verifyToken(token: string, expected: TokenExpectation): TokenVerdict {
  const refuse = (reason: TokenRefusal): TokenVerdict => ({ ok: false, reason })
  const parts = token.length <= MAX_TOKEN_CHARS ? token.split('.') : []
  const [head = '', body = '', tail = ''] = parts
  const header = decodeObject(head)
  const signature = decodeBase64url(tail)
  if (parts.length !== 3 || !header || signature?.length !== SIGNATURE_BYTES) return refuse('malformed')
  if (header.alg !== 'EdDSA') return refuse('wrong-algorithm')
  if (header.typ !== expected.typ) return refuse('wrong-type')
  if ('crit' in header) return refuse('malformed')
  const key = typeof header.kid === 'string' ? expected.keys.get(header.kid) : undefined
  if (!key) return refuse('unknown-key')
  if (!verifyBytes(null, Buffer.from(`${head}.${body}`), key, signature)) return refuse('bad-signature')
  const claims = decodeObject(body)
  if (!isTokenClaims(claims)) return refuse('malformed')
  const reason = refusalOf(claims, expected)
  return reason ? refuse(reason) : { ok: true, claims }
}

function refusalOf(
  claims: TokenClaims,
  { audience, now, leewaySeconds = CLOCK_LEEWAY_SECONDS }: TokenExpectation,
): TokenRefusal | undefined {
  const seconds = now.getTime() / 1000
  if (claims.aud !== audience) return 'wrong-audience'
  if (typeof claims.nbf === 'number' && seconds < claims.nbf - leewaySeconds) return 'not-yet-valid'
  return seconds >= claims.exp + leewaySeconds ? 'expired' : undefined
}

function isTokenClaims(
  claims: Record<string, unknown> | undefined,
): claims is TokenClaims & Record<string, unknown> {
  if (!claims || typeof claims.aud !== 'string' || !Number.isFinite(claims.exp)) return false
  return claims.nbf === undefined || Number.isFinite(claims.nbf)
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decodeObject(text: string): Record<string, unknown> | undefined {
  const bytes = decodeBase64url(text)
  if (!bytes?.length) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
