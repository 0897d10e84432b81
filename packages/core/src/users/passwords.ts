import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Problem } from '../problem.ts'
import { FairQueue, QueueFull } from './fair-queue.ts'

// 2^17 x 8 x 1 takes 128 MiB and about 0.4 s of one core: two at a time bound both, and one core is left to
// the event loop. On two cores two hashes at a time would keep every host waiting for as long as somebody
// tries passwords.
const LOG_N = 17
const R = 8
const P = 1
const HASH_BYTES = 32
const SALT_BYTES = 16
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
const MAX_WAITING = 64

/** Shortest password that may be set, in characters. */
export const MIN_PASSWORD_CHARS = 12
/** Longest password that is looked at, in characters. */
export const MAX_PASSWORD_CHARS = 1024

const queue = new FairQueue(AT_ONCE, MAX_WAITING)

/** Refused because too many passwords are being checked already. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

/**
 * Says so to whoever asked: for the `catch` of what hashes.
 * @throws Problem `unavailable`, or `error` when it is another
 */
export function sayBusy(error: unknown): never {
  if (!(error instanceof PasswordsBusy)) throw error
  throw new Problem('unavailable', { detail: error.message, retryAfterSeconds: 1 })
}

const inTurn = <T>(crowd: string, work: () => Promise<T>): Promise<T> =>
  queue.run(crowd, work).catch((error: unknown) => {
    throw error instanceof QueueFull ? new PasswordsBusy('too many sign-ins at once') : error
  })

function derive(password: string, salt: Buffer, options: ScryptOptions, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, bytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const costs = (logN: number, r: number, p: number): ScryptOptions => ({
  N: 2 ** logN,
  r,
  p,
  maxmem: 2 * 128 * r * 2 ** logN,
})

/** The crowd of people who set passwords: all of them are known. */
const KNOWN_PEOPLE = 'known people'

/** `scrypt$17$8$1$<salt>$<hash>`, base64url: costs travel with the hash, so that they may rise later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await inTurn(KNOWN_PEOPLE, () => derive(password, salt, costs(LOG_N, R, P), HASH_BYTES))
  return ['scrypt', LOG_N, R, P, salt.toString('base64url'), key.toString('base64url')].join('$')
}

// What an unknown user's password is checked against: the answer takes as long as for a known one.
const NOBODY = `scrypt$${LOG_N}$${R}$${P}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * Whether `password` has this hash; false, after the same work, when there is none. `crowd`: whom it waits
 * behind when many are checked, such as the network that it came from.
 */
export async function checkPassword(
  password: string,
  hash: string | undefined,
  crowd: string = KNOWN_PEOPLE,
): Promise<boolean> {
  const [scheme, logN, r, p, salt = '', expected = ''] = (hash ?? NOBODY).split('$')
  const wanted = Buffer.from(expected, 'base64url')
  if (scheme !== 'scrypt' || wanted.length !== HASH_BYTES) return false
  const options = costs(Number(logN), Number(r), Number(p))
  const key = await inTurn(crowd, () => derive(password, Buffer.from(salt, 'base64url'), options, HASH_BYTES))
  return timingSafeEqual(key, wanted) && hash !== undefined
}
