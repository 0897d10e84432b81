const KEY_BYTES = 32
const HEX = /^(?:[0-9a-f]{2})+$/i

/**
 * The bytes of a canonical base64url text without padding, as RFC 7515 writes tokens; `undefined` for
 * anything else. Node's own decoder skips what it does not know, so one token would have many spellings.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/**
 * The same for texts that people paste: base64 or base64url, with padding or without. Mistyped ones are
 * `undefined`.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const unpadded = text.replace(/={1,2}$/, '')
  if (!/[+/]/.test(unpadded)) return decodeBase64url(unpadded)
  return unpadded.includes('-') || unpadded.includes('_')
    ? undefined
    : decodeBase64url(unpadded.replaceAll('+', '-').replaceAll('/', '_'))
}

/**
 * The 32 bytes that a key text spells in hex, base64 or base64url; `undefined` when it spells anything else.
 */
export const decodeRawKey = (text: string): Uint8Array | undefined => decodeExactly(text, KEY_BYTES)

/**
 * The 64 bytes of a secret key as NaCl, libsodium and Go write it, in the same spellings: the seed, then its
 * public key.
 */
export function decodeKeyPair(text: string): readonly [seed: Uint8Array, publicKey: Uint8Array] | undefined {
  const bytes = decodeExactly(text, 2 * KEY_BYTES)
  return bytes && [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
}

function decodeExactly(text: string, length: number): Uint8Array | undefined {
  if (text.length === 2 * length && HEX.test(text)) return Buffer.from(text, 'hex')
  const bytes = decodeBase64(text)
  return bytes?.length === length ? bytes : undefined
}

/**
 * A PEM text as OpenSSL reads it: an environment file often carries its line ends as the two characters `\n`.
 */
export function unescapePem(text: string): string {
  return text.replaceAll('\\r', '').replaceAll('\\n', '\n')
}

/** A key text that is not a key. The message names the forms that are, and never repeats the text. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
}
