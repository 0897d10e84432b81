import { secretDigest } from '../signing/same-secret.ts'

/** Recovery codes that a user gets. */
export const RECOVERY_CODES = 10
/** Random bytes of one: 120 bits, so that SHA-256 alone keeps it (ASVS 6.5.2 asks for 112). */
export const RECOVERY_CODE_BYTES = 15

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const GROUP = /.{4}(?=.)/g

/**
 * `bytes` (base64url, 15 of them) as people write it down: six groups of four characters, none that is taken
 * for another.
 */
export function spellRecoveryCode(bytes: string): string {
  const bits = [...Buffer.from(bytes, 'base64url')].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const fives = bits.match(/.{5}/g) ?? []
  return fives
    .map((five) => ALPHABET[Number.parseInt(five, 2)])
    .join('')
    .replace(GROUP, '$&-')
}

/**
 * What is stored of a recovery code, however it was typed: case, blanks and dashes do not count, and o is 0,
 * i and l are 1.
 */
export const recoveryDigest = (code: string): string =>
  secretDigest(code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1'))
