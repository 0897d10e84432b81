import { spelled, spelling } from '../../kernel/spelled-bytes.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'

/** Number of recovery codes of a user. */
export const RECOVERY_CODES = 10
/** Random bytes of a recovery code: its 120 bits make plain SHA-256 safe (ASVS 6.5.2 requires 112). */
export const RECOVERY_CODE_BYTES = 15

/** Returns 15 `bytes` (base64url) as people write them down: six groups of four characters. */
export const spellRecoveryCode = (bytes: string): string => spelled(Buffer.from(bytes, 'base64url'))

/** Returns the stored digest of a recovery code, however it was typed. */
export const recoveryDigest = (code: string): string => secretDigest(spelling(code))
