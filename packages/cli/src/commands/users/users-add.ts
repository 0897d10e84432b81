import type { UserView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { newPassword } from '../../connect/password-input.ts'
import { given, type Handler } from '../../program/command-run.ts'
import { usersTable } from './users-list.ts'

/** Flags of `svc users add`. */
export interface AddUserOptions {
  readonly role: string
  readonly tenant?: string
  readonly passwordStdin?: boolean
}

/** Adds a user; without a password they sign in by minted sessions only. */
export const addUser: Handler<AddUserOptions> = async (run) => {
  const { role, tenant, passwordStdin } = run.options
  const password = passwordStdin ? await newPassword(run.io) : undefined
  const answer = await run.operate<{ user: UserView }>(
    'users.add',
    given({ email: run.arg(0), role, tenant, password }),
  )
  run.print(answer, (page) => usersTable([answer.user], page))
  if (password === undefined) {
    run.hint(
      `No password is set: svc users set-password ${shellWord(answer.user.email)}, or svc sessions mint ${shellWord(answer.user.email)}.`,
    )
  }
}
