import { scryptSync } from 'node:crypto'

const LOG_N = 4
const BLOCKS = 8
const SALT = Buffer.alloc(16, 5)

/**
 * Returns a hash of `password` that is cheap to check, for tests that sign in often; a real hash takes 0.4 s
 * of a core.
 */
export function quickPasswordHash(password: string): string {
  const key = scryptSync(password.normalize('NFKC'), SALT, 32, { N: 2 ** LOG_N, r: BLOCKS, p: 1 })
  return ['scrypt', LOG_N, BLOCKS, 1, SALT.toString('base64url'), key.toString('base64url')].join('$')
}
