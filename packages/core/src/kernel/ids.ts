import { randomBytes, randomFillSync } from 'node:crypto'
import { type Clock, systemClock } from './clock.ts'

/** The source of randomness: ids that sort by creation time, and secrets. */
export interface Ids {
  /**
   * Returns `<prefix>_<26 characters>`: lower-case Crockford base32 of 48 bits of milliseconds, then 80
   * random bits.
   */
  next(prefix: string): string
  /** Returns `bytes` random bytes, base64url without padding. */
  secret(bytes: number): string
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
// Ten bits are spelled at a time: every heartbeat is answered with an id, and spelling one with bigints costs
// as much as storing it.
const PAIRS = Array.from({ length: 1024 }, (_, value) => `${ALPHABET[value >> 5]}${ALPHABET[value & 31]}`)

const fourOf = (bits20: number): string => `${PAIRS[bits20 >> 10]}${PAIRS[bits20 & 1023]}`

const timeOf = (milliseconds: number): string => {
  const low = milliseconds % 2 ** 30
  return `${fourOf(Math.floor(milliseconds / 2 ** 30))}${PAIRS[low >> 20]}${fourOf(low & 0xf_ffff)}`
}

/** Spells an id from its two halves. A fake with counted `entropy` gives readable, repeatable ids. */
export function spellId(prefix: string, milliseconds: number, entropy: bigint): string {
  const bits20 = (shift: bigint) => fourOf(Number((entropy >> shift) & 0xf_ffffn))
  return `${prefix}_${timeOf(milliseconds)}${bits20(60n)}${bits20(40n)}${bits20(20n)}${bits20(0n)}`
}

const LAST_MILLISECOND = 2 ** 48 - 1

/** The lowest id of `prefix` that was made at `instant` or later. */
export const firstIdAt = (prefix: string, instant: Date): string =>
  spellId(prefix, Math.min(instant.getTime(), LAST_MILLISECOND), 0n)

const TIME_CHARS = 10

/** The instant at which an id was made. */
export function instantOf(id: string): Date {
  const time = id.slice(id.indexOf('_') + 1).slice(0, TIME_CHARS)
  return new Date([...time].reduce((sum, char) => 32 * sum + ALPHABET.indexOf(char), 0))
}

const ENTROPY_BYTES = 10
const POOL_BYTES = 400 * ENTROPY_BYTES

/**
 * Returns a function that spells 80 random bits. They come from a pool, since one call to the system's source
 * costs 1.6 µs.
 */
function entropySpeller(): () => string {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  return () => {
    if (used === POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    let text = ''
    for (const end = used + ENTROPY_BYTES; used < end; used += 5) {
      const bits40 = pool.readUIntBE(used, 5)
      text += fourOf(Math.floor(bits40 / 2 ** 20)) + fourOf(bits40 % 2 ** 20)
    }
    return text
  }
}

/** Returns ids from the operating system's random source. */
export function randomIds(clock: Clock = systemClock): Ids {
  const entropy = entropySpeller()
  return {
    next: (prefix) => `${prefix}_${timeOf(clock.now().getTime())}${entropy()}`,
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
  }
}
