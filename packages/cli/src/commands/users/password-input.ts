import { Problem } from '@svc/core'
import type { Io } from '../../io.ts'

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
export const knownPassword = async (io: Io, prompt = 'Password: '): Promise<string> =>
  required(await io.readSecret(prompt))

/** A one-time code or a recovery code, if there is a second factor: asked for once, the next line elsewhere. */
export async function knownCode(io: Io): Promise<string | undefined> {
  const code = (await io.readSecret('Code (empty without a second factor): ')).trim()
  return code === '' ? undefined : code
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
