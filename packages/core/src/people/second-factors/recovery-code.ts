import { secretDigest } from '../../platform/signing/same-secret.ts'

/** Number of recovery codes of a user. */
export const RECOVERY_CODES = 10
/** Random bytes of a recovery code: its 120 bits make plain SHA-256 safe (ASVS 6.5.2 requires 112). */
export const RECOVERY_CODE_BYTES = 15

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const GROUP = /.{4}(?=.)/g

/**
 * Returns 15 `bytes` (base64url) as people write them down: six groups of four characters that are not easily
 * confused.
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
 * Returns the stored digest of a recovery code. Case, blanks and dashes do not matter; o counts as 0, i and l
 * as 1.
 */
export const recoveryDigest = (code: string): string =>
  secretDigest(code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1'))
