import { knownPassword, requiredCode } from '../../connect/password-input.ts'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { plain } from '../../terminal/terminal.ts'
import { type AccountOptions, askAccount } from './own-account.ts'

type Begun = { readonly otpauth_uri: string; readonly secret: string }
type Confirmed = { readonly recovery_codes: readonly string[] }

const PATH = '/account/second-factor'

/** Posts to the second factor of the own account. */
async function ask<A>(run: CommandRun<AccountOptions>, path: string, body: object): Promise<A> {
  return (await askAccount(run, { method: 'POST', path: `${PATH}${path}`, body })).body as A
}

/** Shows a secret, asks for its first code and prints the recovery codes, once. */
export const addSecondFactor: Handler<AccountOptions> = async (run) => {
  const current = await knownPassword(run.io)
  const begun = await ask<Begun>(run, '', { current })
  // Before the code can be asked for, so not in the document.
  const { otpauth_uri, secret } = begun
  run.hint(
    'For your authenticator app:',
    `  ${otpauth_uri}`,
    `  secret ${secret}`,
    'It waits ten minutes for its first code.',
  )
  const code = await requiredCode(run.io, 'Code that the app shows: ')
  const { recovery_codes } = await ask<Confirmed>(run, '/confirm', { code })
  run.print({ recovery_codes }, () => `${recovery_codes.map(plain).join('\n')}\n`)
  run.hint('Each of these codes signs you in once when the app is lost. They are not shown again.')
}

/** Removes it with the password and a code. */
export const removeSecondFactor: Handler<AccountOptions> = async (run) => {
  const current = await knownPassword(run.io)
  const code = await requiredCode(run.io, 'Code, or a recovery code: ')
  await ask(run, '/remove', { current, code })
  run.print({ ok: true }, () => 'the second factor is removed\n')
}
