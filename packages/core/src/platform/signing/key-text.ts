const KEY_BYTES = 32
const HEX = /^(?:[0-9a-f]{2})+$/i

/**
 * Decodes canonical base64url without padding, as in tokens (RFC 7515); undefined for anything else. Node's
 * decoder ignores invalid characters, so one token would have many spellings.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/**
 * Decodes text that people paste: base64 or base64url, with or without padding. Undefined for invalid text.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const unpadded = text.replace(/={1,2}$/, '')
  if (!/[+/]/.test(unpadded)) return decodeBase64url(unpadded)
  return unpadded.includes('-') || unpadded.includes('_')
    ? undefined
    : decodeBase64url(unpadded.replaceAll('+', '-').replaceAll('/', '_'))
}

/** Prefixes of the two halves that `svc mint-key` prints, so that neither is taken for the other. */
export const KEY_PREFIXES = { private: 'svcsk_', public: 'svcpk_' } as const

/**
 * The text of one half without its prefix.
 * @throws KeyRefused for a text with the prefix of the other half
 */
export function withoutPrefix(text: string, half: keyof typeof KEY_PREFIXES): string {
  const other = half === 'private' ? 'public' : 'private'
  if (text.startsWith(KEY_PREFIXES[other])) throw new KeyRefused(`this is a ${other} key`)
  const own = KEY_PREFIXES[half]
  return text.startsWith(own) ? text.slice(own.length) : text
}

/** Decodes 32 bytes in hex, base64 or base64url; undefined for anything else. */
export const decodeRawKey = (text: string): Uint8Array | undefined => decodeExactly(text, KEY_BYTES)

/**
 * Decodes a 64-byte secret key of NaCl, libsodium or Go, in the same spellings: the seed, then its public
 * key.
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
 * Returns a PEM text that OpenSSL can read: environment files often have the two characters `\n` in place of
 * line breaks.
 */
export function unescapePem(text: string): string {
  return text.replaceAll('\\r', '').replaceAll('\\n', '\n')
}

/** Error for a text that is not a key. The message lists the accepted forms and never repeats the text. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
}
