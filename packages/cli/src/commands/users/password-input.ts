import { Problem } from '@svc/core'
import type { Io } from '../../io.ts'

/**
 * A new password: asked for twice at a terminal, the first line of standard input elsewhere.
 * @throws Problem `invalid-input` when there is none, or the two differ
 */
export async function newPassword(io: Io): Promise<string> {
  const first = await io.readSecret('New password: ')
  if (io.inIsTty && first !== (await io.readSecret('Once more: '))) {
    throw new Problem('invalid-input', { detail: 'the two passwords differ: nothing was changed' })
  }
  return required(first)
}

/** A password that exists: asked for once. */
export const knownPassword = async (io: Io): Promise<string> => required(await io.readSecret('Password: '))

function required(password: string): string {
  if (password !== '') return password
  throw new Problem('invalid-input', { detail: 'no password came on standard input' })
}
