import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { anyText, listOf, oneOf, shape, type ViewOf } from '../../kernel/validation.ts'
import { decodeBase64url, decodeRawKey, KeyRefused, unescapePem, withoutPrefix } from './key-text.ts'

const JWK = {
  kty: oneOf(['OKP']),
  crv: oneOf(['Ed25519']),
  x: anyText(),
  kid: anyText(),
  alg: oneOf(['EdDSA']),
  use: oneOf(['sig']),
}
/** An Ed25519 public key in the form of RFC 8037. `kid` is the RFC 7638 thumbprint of the key. */
export type PublicJwk = ViewOf<typeof JWK>

const JWKS = { keys: listOf(shape(JWK), Number.POSITIVE_INFINITY) }
/** The body of `GET /.well-known/jwks.json`: the current key first, then the retired ones. */
export const jwkSetShape = shape(JWKS)
export type JwkSet = ViewOf<typeof JWKS>

/** Keys to verify signatures: native keys by `kid`. */
export type VerificationKeys = ReadonlyMap<string, KeyObject>

const PUBLIC_FORMS = 'expected 32 bytes in base64, base64url or hex, or a PEM that says BEGIN PUBLIC KEY'

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** Returns the RFC 7638 thumbprint of a raw Ed25519 public key: SHA-256, base64url, 43 characters. */
export function thumbprint(publicKey: Uint8Array): string {
  const members = `{"crv":"Ed25519","kty":"OKP","x":"${base64url(publicKey)}"}`
  return hash('sha256', members, 'base64url')
}

/** Returns a raw Ed25519 public key as a JSON Web Key. */
export function publicJwk(publicKey: Uint8Array): PublicJwk {
  const x = base64url(publicKey)
  return { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprint(publicKey), alg: 'EdDSA', use: 'sig' }
}

/** Returns the key set of raw public keys, without duplicates, in the order given. */
export function jwkSet(publicKeys: readonly Uint8Array[]): JwkSet {
  const byKid = new Map(publicKeys.map(publicJwk).map((key) => [key.kid, key]))
  return { keys: [...byKid.values()] }
}

/**
 * Reads an Ed25519 public key from hex, base64, base64url (32 bytes, also with the prefix of `svc mint-key`)
 * or PEM (also with `\n` escapes) and returns its raw bytes. Throws `KeyRefused` for anything else, including
 * a private key, which must not be in a setting that is not secret.
 */
export function parsePublicKey(text: string): Uint8Array {
  const trimmed = withoutPrefix(text.trim(), 'public')
  const raw = decodeRawKey(trimmed)
  if (raw) return raw
  if (!trimmed.startsWith('-----BEGIN PUBLIC KEY-----')) {
    throw new KeyRefused(`not an Ed25519 public key: ${PUBLIC_FORMS}`)
  }
  const key = readPem(unescapePem(trimmed))
  const x = key?.asymmetricKeyType === 'ed25519' ? key.export({ format: 'jwk' }).x : undefined
  if (x === undefined) throw new KeyRefused(`the PEM holds no Ed25519 public key: ${PUBLIC_FORMS}`)
  return Buffer.from(x, 'base64url')
}

/** Returns the keys of a set as texts that `parsePublicKey` reads. */
export const publicKeyTexts = ({ keys }: JwkSet): readonly string[] => keys.map(({ x }) => x)

/** Returns the set of public keys given as texts. @throws KeyRefused */
export const publicKeySet = (texts: readonly string[]): JwkSet => jwkSet(texts.map(parsePublicKey))

function readPem(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}

/**
 * Prepares a fetched key set for verification. Keys of other types or without a `kid` are skipped, as RFC
 * 7517 §5 requires: a newer service may publish keys that this program does not know.
 */
export function verificationKeys(set: { readonly keys: readonly unknown[] }): VerificationKeys {
  const keys = new Map<string, KeyObject>()
  for (const candidate of set.keys) {
    if (!isEd25519Jwk(candidate) || keys.has(candidate.kid)) continue
    const { kty, crv, x } = candidate
    keys.set(candidate.kid, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }))
  }
  return keys
}

function isEd25519Jwk(value: unknown): value is PublicJwk {
  if (typeof value !== 'object' || value === null) return false
  const key = value as Partial<Record<string, unknown>>
  const known = key.kty === 'OKP' && key.crv === 'Ed25519' && typeof key.kid === 'string'
  return known && typeof key.x === 'string' && decodeBase64url(key.x)?.length === 32
}
