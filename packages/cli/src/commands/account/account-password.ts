import { Problem } from '@svc/core/client'
import { chosenUrl, keepSession, originOf } from '../../connect/contexts.ts'
import { knownPassword, newPassword } from '../../connect/password-input.ts'
import type { Handler } from '../../program/command-run.ts'
import { type AccountOptions, askAccount } from './own-account.ts'

/** Changes the own password; the session that the server gives for it takes the place of the kept one. */
export const changePassword: Handler<AccountOptions> = async (run) => {
  const origin = originOf(await chosenUrl(run))
  const current = await knownPassword(run.io, 'Current password: ')
  const body = { current, password: await newPassword(run.io) }
  const { setCookie } = await askAccount(run, { method: 'POST', path: '/account/password', body })
  const cookie = setCookie?.split(';')[0]
  if (cookie === undefined)
    throw new Problem('unavailable', { detail: `${origin} gave no session: is it a control plane?` })
  await keepSession(run.io, { origin, session: cookie })
  run.print({ ok: true, url: origin }, () => 'password changed; every other session has ended\n')
}
