import type { UserView } from '@svc/core'
import type { Handler } from '../../program/call.ts'
import { newPassword } from './password-input.ts'
import { usersTable } from './users-list.ts'

type Changed = { readonly user: UserView }

/** Gives a user another role. */
export const setRole: Handler<object> = async (call) => {
  const answer = await call.operate<Changed>('users.set-role', { email: call.arg(0), role: call.arg(1) })
  call.print(answer, (page) => usersTable([answer.user], page))
}

/** Sets a password that is read, never given as an argument. */
export const setPassword: Handler<object> = async (call) => {
  const password = await newPassword(call.io)
  const answer = await call.operate<Changed>('users.set-password', { email: call.arg(0), password })
  call.print(answer, (page) => usersTable([answer.user], page))
}

/** Bars a user or lets them in again. */
export const changeUser =
  (verb: 'disable' | 'enable'): Handler<object> =>
  async (call) => {
    const answer = await call.operate<Changed>(`users.${verb}`, { email: call.arg(0) })
    call.print(answer, (page) => usersTable([answer.user], page))
  }

/** Takes a lost second factor away. */
export const resetSecondFactor: Handler<object> = async (call) => {
  const answer = await call.operate<Changed & { removed: boolean }>('users.reset-second-factor', {
    email: call.arg(0),
  })
  call.print(answer, (page) => usersTable([answer.user], page))
  if (!answer.removed) call.hint(`${answer.user.email} had no second factor.`)
}
