// Files that are found from here, in the sources and in the bundle: this file stands directly in src.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The release of the control plane. */
export const RELEASE = String((manifest as { version?: unknown }).version)

/** The part of libsodium that the service uses, as the optional package `sodium-native` exposes it. */
export interface Libsodium {
  readonly crypto_sign_BYTES: number
  readonly crypto_sign_PUBLICKEYBYTES: number
  readonly crypto_sign_SECRETKEYBYTES: number
  /** Allocates memory between guard pages, locked if the system allows it, and wiped when it is freed. */
  sodium_malloc(bytes: number): Buffer
  crypto_sign_seed_keypair(publicKey: Buffer, secretKey: Buffer, seed: Uint8Array): void
  crypto_sign_detached(signature: Buffer, message: Uint8Array, secretKey: Buffer): void
}

/** Returns libsodium if `sodium-native` is installed and has a build for this system; null otherwise. */
export function libsodium(): Libsodium | null {
  try {
    return createRequire(import.meta.url)('sodium-native') as Libsodium
  } catch {
    return null
  }
}
