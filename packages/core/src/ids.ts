import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from './clock.ts'

/** The source of randomness: identifiers that sort by the time of their making, and secrets. */
export interface Ids {
  /** `<prefix>_<26 characters>`: lower-case Crockford base32, 48 bits of milliseconds, then 80 random bits. */
  next(prefix: string): string
  /** `bytes` random bytes, base64url without padding. */
  secret(bytes: number): string
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

function base32(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest >>= 5n) text = ALPHABET[Number(rest & 31n)] + text
  return text
}

/** Spells an identifier from its two halves; a fake with counted `entropy` gives readable, repeatable identifiers. */
export function spellId(prefix: string, milliseconds: number, entropy: bigint): string {
  return `${prefix}_${base32(BigInt(milliseconds), 10)}${base32(entropy, 16)}`
}

/** Identifiers from the operating system's random source. */
export function randomIds(clock: Clock = systemClock): Ids {
  return {
    next: (prefix) => spellId(prefix, clock.now().getTime(), BigInt(`0x${randomBytes(10).toString('hex')}`)),
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
  }
}
