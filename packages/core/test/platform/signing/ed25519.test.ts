import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import nacl from 'tweetnacl'
import { type Libsodium, libsodium } from '../../../src/package-files.ts'
import { ed25519 } from '../../../src/platform/signing/ed25519.ts'

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
const messages = fc.uint8Array({ maxLength: 600 })
const SEED = Uint8Array.from({ length: 32 }, (_, index) => index)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const byTweetnacl = (seed: Uint8Array, message: Uint8Array) =>
  nacl.sign.detached(message, nacl.sign.keyPair.fromSeed(seed).secretKey)

/** Wraps libsodium so that it notes every message it signs. */
function watched(sodium: Libsodium): { readonly sodium: Libsodium; readonly signed: Uint8Array[] } {
  const signed: Uint8Array[] = []
  const crypto_sign_detached: Libsodium['crypto_sign_detached'] = (signature, message, secret) => {
    signed.push(message)
    sodium.crypto_sign_detached(signature, message, secret)
  }
  return { sodium: { ...sodium, crypto_sign_detached }, signed }
}

function installed(): Libsodium {
  const sodium = libsodium()
  if (sodium === null) throw new Error('sodium-native is not installed, or has no build for this system')
  return sodium
}

describe('signatures', () => {
  test('by libsodium and by node:crypto are the very bytes that tweetnacl signs', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, messages, async (seed, message) => {
        const expected = hex(byTweetnacl(seed, message))
        for (const sodium of [installed(), null]) {
          const key = ed25519(seed, sodium)
          expect(hex(key.sign(message))).toBe(expected)
          expect(hex(await key.signOnThread(message))).toBe(expected)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('are made by libsodium where it is installed', () => {
    const { sodium, signed } = watched(installed())
    const key = ed25519(SEED, sodium)
    const message = Buffer.from('message')
    key.sign(message)
    expect(signed.at(-1)).toBe(message)
  })

  const MESSAGE = Buffer.from('message')
  const otherKey = (sodium: Libsodium) => (publicKey: Buffer, secret: Buffer) =>
    sodium.crypto_sign_seed_keypair(publicKey, secret, new Uint8Array(32))
  const noMemory = () => () => {
    throw new Error('out of memory')
  }
  test.each([
    ['signs anything else', otherKey],
    ['fails', noMemory],
  ])('are not made by a libsodium that %s', (_, fault) => {
    const { sodium, signed } = watched(installed())
    const key = ed25519(SEED, { ...sodium, crypto_sign_seed_keypair: fault(sodium) })
    const asked = signed.length
    expect(hex(key.sign(MESSAGE))).toBe(hex(byTweetnacl(SEED, MESSAGE)))
    expect(signed).toHaveLength(asked)
  })
})
