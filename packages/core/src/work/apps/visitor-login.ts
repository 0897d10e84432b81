import { compare, hash, truncates } from 'bcryptjs'
import { Problem } from '../../kernel/problem.ts'
import type { Exposure } from './exposure.ts'

/** A name and password that visitors of a domain have to say. */
export interface VisitorLogin {
  readonly user: string
  readonly password: string
}

type Digest = NonNullable<Exposure['basic_auth']>

/** Rounds of bcrypt, as a power of two. The proxy computes them for each request. */
const COST = 10

/**
 * Returns the digest of a login as the proxy takes it, by bcrypt. `before` is returned when it is one of the
 * same login.
 * @throws Problem `invalid-input` for a password of more than the 72 bytes that bcrypt reads
 */
export async function digestOf({ user, password }: VisitorLogin, before?: Digest): Promise<Digest> {
  if (truncates(password))
    throw new Problem('invalid-input', { details: ['password: expected at most 72 bytes'] })
  if (before?.user === user && (await compare(password, before.hash))) return before
  return { user, hash: await hash(password, COST) }
}
