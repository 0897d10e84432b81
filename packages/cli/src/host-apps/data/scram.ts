import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const ITERATIONS = 4096
const SALT_BYTES = 16
const PASSWORD_BYTES = 32

/** Makes a password that stands in addresses as it is. */
export const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url')

/**
 * Returns the verifier of a password as PostgreSQL stores it (RFC 5802, with SHA-256). The server then never
 * gets the password itself: a statement that fails stands in its log.
 */
export function scramVerifier(password: string, salt = randomBytes(SALT_BYTES)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const keyed = (word: string) => createHmac('sha256', salted).update(word).digest()
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64')
  const server = keyed('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`
}
