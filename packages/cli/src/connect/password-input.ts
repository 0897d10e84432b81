import type { CurrentCredentials } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import type { Io } from '../terminal/io.ts'

type Asking = Pick<Io, 'readSecret'>

/**
 * A new password: asked for twice at a terminal, the next line of standard input elsewhere.
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
export const knownPassword = async (io: Asking, prompt = 'Password: '): Promise<string> =>
  required(await io.readSecret(prompt))

/**
 * A one-time code or a recovery code, if there is a second factor: asked for once, the next line elsewhere.
 */
export async function knownCode(
  io: Asking,
  prompt = 'Code (empty without a second factor): ',
): Promise<string | undefined> {
  const code = (await io.readSecret(prompt)).trim()
  return code === '' ? undefined : code
}

/**
 * The own password, and the own code if there is a second factor: the next two lines elsewhere than at a
 * terminal.
 */
export async function currentCredentials(io: Asking): Promise<CurrentCredentials> {
  const current = await knownPassword(io, 'Your own password: ')
  const code = await knownCode(io, 'Your own code (empty without a second factor): ')
  return { current, ...(code === undefined ? {} : { code }) }
}

/**
 * A one-time code or a recovery code, when there has to be one.
 * @throws Problem `invalid-input` when there is none
 */
export async function requiredCode(io: Io, prompt: string): Promise<string> {
  const code = (await io.readSecret(prompt)).trim()
  if (code !== '') return code
  throw new Problem('invalid-input', { detail: 'no code came on standard input' })
}

function required(password: string): string {
  if (password !== '') return password
  throw new Problem('invalid-input', { detail: 'no password came on standard input' })
}
