import { createPrivateKey, type KeyObject } from 'node:crypto'
import nacl from 'tweetnacl'
import { type Ed25519, ed25519 } from './ed25519.ts'
import { thumbprint } from './json-web-key.ts'
import {
  decodeBase64,
  decodeKeyPair,
  decodeRawKey,
  KEY_PREFIXES,
  KeyRefused,
  unescapePem,
  withoutPrefix,
} from './key-text.ts'

/** An Ed25519 private key that can sign but not be read: the secret stays in the closure. */
export interface SigningKey extends Ed25519 {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string
}

/** A new key pair as text: base64url behind the prefix of its half. */
export interface GeneratedSigningKey {
  /** The 32-byte seed, for `SERVICE_LICENSE_PRIVKEY`. */
  readonly privateKey: string
  readonly publicKey: string
  readonly kid: string
}

const PRIVATE_FORMS =
  'expected a 32-byte seed or a 64-byte secret key in base64, base64url or hex, a PKCS#8 PEM (BEGIN PRIVATE KEY), or its DER in base64'

/** Makes a key pair from the operating system's random source. */
export function generateSigningKey(): GeneratedSigningKey {
  const pair = nacl.sign.keyPair()
  return {
    privateKey: `${KEY_PREFIXES.private}${base64url(pair.secretKey.subarray(0, nacl.sign.seedLength))}`,
    publicKey: `${KEY_PREFIXES.public}${base64url(pair.publicKey)}`,
    kid: thumbprint(pair.publicKey),
  }
}

/**
 * Reads an Ed25519 private key: a 32-byte seed or the 64-byte secret key of NaCl in base64,
 * base64url or hex, the seed also with the prefix of `svc mint-key`; a PKCS#8 PEM with real or `\n`-escaped
 * line breaks; or a PKCS#8 DER in base64. Throws `KeyRefused`, whose message never repeats the text.
 */
export function parseSigningKey(text: string): SigningKey {
  const trimmed = withoutPrefix(text.trim(), 'private')
  return signingKeyFromSeed(decodeRawKey(trimmed) ?? seedOfPair(trimmed) ?? seedOf(readPkcs8(trimmed)))
}

/** Returns the signing key of a 32-byte seed. */
export function signingKeyFromSeed(seed: Uint8Array): SigningKey {
  const pair = ed25519(seed)
  return { kid: thumbprint(pair.publicKey), ...pair }
}

// Other 64 bytes may be two keys or a damaged one: without this check, only hosts would notice wrong
// signatures.
function seedOfPair(text: string): Uint8Array | undefined {
  const [seed, publicKey] = decodeKeyPair(text) ?? []
  if (seed === undefined || publicKey === undefined) return undefined
  if (Buffer.from(signingKeyFromSeed(seed).publicKey).equals(publicKey)) return seed
  throw new KeyRefused(`the second half of the 64 bytes is not the public key of the first: ${PRIVATE_FORMS}`)
}

function readPkcs8(text: string): KeyObject {
  if (text.startsWith('-----BEGIN')) {
    if (!text.startsWith('-----BEGIN PRIVATE KEY-----')) {
      throw new KeyRefused(`the PEM is not an unencrypted PKCS#8 private key: ${PRIVATE_FORMS}`)
    }
    return readOrRefuse(() => createPrivateKey(unescapePem(text)), 'the PEM does not hold a readable key')
  }
  const der = decodeBase64(text)
  if (!der?.length) throw new KeyRefused(`not an Ed25519 private key: ${PRIVATE_FORMS}`)
  const read = () => createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' })
  return readOrRefuse(read, `${der.length} bytes are neither a seed nor a PKCS#8 key`)
}

function readOrRefuse(read: () => KeyObject, found: string): KeyObject {
  try {
    return read()
  } catch {
    throw new KeyRefused(`${found}: ${PRIVATE_FORMS}`)
  }
}

function seedOf(key: KeyObject): Uint8Array {
  const kind = key.asymmetricKeyType
  const seed = kind === 'ed25519' ? key.export({ format: 'jwk' }).d : undefined
  if (seed === undefined) throw new KeyRefused(`the private key is ${kind}, not Ed25519`)
  return Buffer.from(seed, 'base64url')
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
