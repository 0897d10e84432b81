import { createPrivateKey, createPublicKey, sign as signBytes } from 'node:crypto'
import { type Libsodium, libsodium } from '../../package-files.ts'

/** Signs with one key without exposing it. */
export interface Ed25519 {
  /** The raw public key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Returns the 64-byte signature of `bytes`. */
  sign(bytes: Uint8Array): Buffer
  /** Signs on a thread of Node's pool. */
  signOnThread(bytes: Uint8Array): Promise<Buffer>
}

const PKCS8_OF_SEED = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_BYTES = 32
const PROBE = Buffer.from('svc')

/**
 * Returns a signer for a 32-byte seed. It uses `sodium` if available, which takes half as long, else
 * node:crypto. Both give the same bytes (RFC 8032); a `sodium` that fails or signs differently is not used.
 */
export function ed25519(seed: Uint8Array, sodium: Libsodium | null = libsodium()): Ed25519 {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_OF_SEED, seed]), format: 'der', type: 'pkcs8' })
  const sign = (bytes: Uint8Array) => signBytes(null, bytes, key)
  const signOnThread = (bytes: Uint8Array) =>
    new Promise<Buffer>((resolve, reject) => {
      signBytes(null, bytes, key, (error, signature) => (error ? reject(error) : resolve(signature)))
    })
  const quick = sodium === null ? undefined : provenSigner(sodium, seed, sign(PROBE))
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES)
  return { publicKey, sign: quick ?? sign, signOnThread }
}

function provenSigner(sodium: Libsodium, seed: Uint8Array, proof: Buffer): Ed25519['sign'] | undefined {
  try {
    const sign = signerOf(sodium, seed)
    return sign(PROBE).equals(proof) ? sign : undefined
  } catch {
    return undefined
  }
}

function signerOf(sodium: Libsodium, seed: Uint8Array): Ed25519['sign'] {
  const secret = sodium.sodium_malloc(sodium.crypto_sign_SECRETKEYBYTES)
  sodium.crypto_sign_seed_keypair(Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES), secret, seed)
  return (bytes) => {
    const signature = Buffer.allocUnsafe(sodium.crypto_sign_BYTES)
    sodium.crypto_sign_detached(signature, bytes, secret)
    return signature
  }
}
