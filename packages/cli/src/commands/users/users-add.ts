import { shellWord, type UserView } from '@svc/core'
import { given, type Handler } from '../../program/call.ts'
import { newPassword } from './password-input.ts'
import { usersTable } from './users-list.ts'

/** Flags of `svc users add`. */
export interface AddUserOptions {
  readonly role: string
  readonly tenant?: string
  readonly passwordStdin?: boolean
}

/** Adds a user; without a password they sign in by minted sessions only. */
export const addUser: Handler<AddUserOptions> = async (call) => {
  const { role, tenant, passwordStdin } = call.options
  const password = passwordStdin ? await newPassword(call.io) : undefined
  const answer = await call.operate<{ user: UserView }>(
    'users.add',
    given({ email: call.arg(0), role, tenant, password }),
  )
  call.print(answer, (page) => usersTable([answer.user], page))
  if (password === undefined) {
    call.hint(
      `No password is set: svc users set-password ${shellWord(answer.user.email)}, or svc sessions mint ${shellWord(answer.user.email)}.`,
    )
  }
}
