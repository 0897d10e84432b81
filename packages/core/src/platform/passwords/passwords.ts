import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Problem } from '../../kernel/problem.ts'
import { FairQueue, QueueFull } from './fair-queue.ts'

// A hash with these costs takes 128 MiB and about 0.4 s of one core. At most two run at a time, and one core
// is left to the event loop: on two cores, two hashes at a time would delay every host while somebody tries
// passwords.
const LOG_N = 17
const R = 8
const P = 1
const HASH_BYTES = 32
const SALT_BYTES = 16
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1))
const MAX_WAITING = 64

/** Shortest password that can be set, in characters. */
export const MIN_PASSWORD_CHARS = 12
/** Longest password that is checked, in characters. */
export const MAX_PASSWORD_CHARS = 1024

const queue = new FairQueue(AT_ONCE, MAX_WAITING)

/** Error when too many passwords are being checked already. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

/**
 * Converts `PasswordsBusy` to a problem; for the `catch` of calls that hash.
 * @throws Problem `unavailable`, or `error` itself if it is another
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

/** Crowd of calls without a client's network: their callers are signed in, or on the machine. */
const KNOWN_PEOPLE = 'known people'

/** Hashes passwords, and checks them. */
export class Passwords {
  readonly #logN: number
  // Hash for passwords of unknown users, so that their check takes as long as for known ones.
  readonly #nobody: string

  /** `logN`: binary logarithm of the cost N of new hashes. Only tests give less than the default. */
  constructor(logN: number = LOG_N) {
    this.#logN = logN
    this.#nobody = `scrypt$${logN}$${R}$${P}$${'A'.repeat(22)}$${'A'.repeat(43)}`
  }

  /**
   * Returns `scrypt$17$8$1$<salt>$<hash>` (base64url). The costs are part of the hash, so that they can rise
   * later.
   */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const options = costs(this.#logN, R, P)
    const key = await inTurn(KNOWN_PEOPLE, () => derive(password, salt, options, HASH_BYTES))
    return ['scrypt', this.#logN, R, P, salt.toString('base64url'), key.toString('base64url')].join('$')
  }

  /**
   * Returns whether `password` has this hash; false, after the same work, if `hash` is undefined. `crowd`
   * groups waiting checks, for example by the network they came from.
   */
  async check(password: string, hash: string | undefined, crowd: string = KNOWN_PEOPLE): Promise<boolean> {
    const [scheme, logN, r, p, salt = '', expected = ''] = (hash ?? this.#nobody).split('$')
    const wanted = Buffer.from(expected, 'base64url')
    if (scheme !== 'scrypt' || wanted.length !== HASH_BYTES) return false
    const options = costs(Number(logN), Number(r), Number(p))
    const salted = Buffer.from(salt, 'base64url')
    const key = await inTurn(crowd, () => derive(password, salted, options, HASH_BYTES))
    return timingSafeEqual(key, wanted) && hash !== undefined
  }
}
