import type { UserView } from '@svc/core'
import { newPassword } from '../../connect/password-input.ts'
import type { Handler } from '../../program/command-run.ts'
import { usersTable } from './users-list.ts'

type Changed = { readonly user: UserView }

/** Gives a user another role. */
export const setRole: Handler<object> = async (run) => {
  const answer = await run.operate<Changed>('users.set-role', { email: run.arg(0), role: run.arg(1) })
  run.print(answer, (page) => usersTable([answer.user], page))
}

/** Sets a password that is read, never given as an argument. */
export const setPassword: Handler<object> = async (run) => {
  const password = await newPassword(run.io)
  const answer = await run.operate<Changed>('users.set-password', { email: run.arg(0), password })
  run.print(answer, (page) => usersTable([answer.user], page))
}

/** Bars a user or lets them in again. */
export const changeUser =
  (verb: 'disable' | 'enable'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<Changed>(`users.${verb}`, { email: run.arg(0) })
    run.print(answer, (page) => usersTable([answer.user], page))
  }

/** Takes a lost second factor away. */
export const resetSecondFactor: Handler<object> = async (run) => {
  const answer = await run.operate<Changed & { removed: boolean }>('users.reset-second-factor', {
    email: run.arg(0),
  })
  run.print(answer, (page) => usersTable([answer.user], page))
  if (!answer.removed) run.hint(`${answer.user.email} had no second factor.`)
}
