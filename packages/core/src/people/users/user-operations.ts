import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { flag, instant, listOf, matching, namedShape, shape, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { permissionsOf } from '../../platform/operations/permission.ts'
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from '../../platform/passwords/passwords.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { Users } from './users.ts'
import { normalEmail, type User } from './users-store.ts'

/** The services that operations on users use. */
export interface UserUses {
  readonly tenants: Tenants
  readonly users: Users
  readonly sessions: Sessions
  readonly secondFactors: SecondFactors
}

const operation = operationOf<UserUses>()

const email = matching(/^[^\s@]{1,64}@[^\s@]{1,189}$/, 'an email address')
// Without a colon, since the audit log names people on the machine `local:…` and `cli:…`, and no user may
// look like one.
const newEmail = matching(/^[^\s@:]{1,64}@[^\s@:]{1,189}$/, 'an email address without a colon')
const role = text(1, 32)
const password = text(MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS)

/** The form of the first administrator. */
export const firstAccount = shape({ code: text(1, 64), email: newEmail, password })

/** Returns a user as operators see them. `holders` are the ids of users with a second factor. */
const userView = (user: User, holders: ReadonlySet<string>) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  ...present('tenant_id', user.tenantId),
  permissions: permissionsOf(user),
  ...(holders.has(user.id) ? { second_factor: true } : {}),
  ...presentSeconds('disabled_at', user.disabledAt),
  created_at: unixSeconds(user.createdAt),
})
/** A user as operators see them. */
export type UserView = ReturnType<typeof userView>

const word = text(0, 512)
const second = whole(0, Number.MAX_SAFE_INTEGER)
const described = namedShape('User', {
  id: word,
  email: word,
  role: word,
  tenant_id: optional(word),
  permissions: listOf(word, Number.POSITIVE_INFINITY),
  second_factor: optional(flag()),
  disabled_at: optional(second),
  created_at: second,
})
const answer = { user: described }

/** Returns the answer about one user. */
const answerOf = async ({ secondFactors }: UserUses, user: User) => ({
  user: userView(user, await secondFactors.holders()),
})

/** Operations on users and their sessions. */
export const userOperations = [
  operation({
    name: 'users.add',
    summary: 'add a user: platform staff, or with a tenant one of its people',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email: newEmail, role, tenant: optional(text(1, 128)), password: optional(password) },
    answer,
    run: async (services, input, { scope }) => {
      const { users, tenants } = services
      const tenantId =
        input.tenant === undefined ? undefined : (await tenants.resolve(scope, input.tenant)).id
      const user = await users.add({
        email: input.email,
        role: input.role,
        tenantId,
        password: input.password,
      })
      return answerOf(services, user)
    },
  }),
  operation({
    name: 'users.first-code',
    summary: 'print the one-time code with which the first administrator makes their account',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    personal: true,
    input: {},
    answer: { needed: flag(), code: optional(word), expires_at: optional(second) },
    run: async ({ users, sessions }) => {
      if (await users.hasFirst()) return { needed: false }
      const { code, expires } = sessions.firstCode()
      return { needed: true, code, expires_at: unixSeconds(expires) }
    },
  }),
  operation({
    name: 'users.list',
    summary: 'list the users',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    answer: { users: listOf(described, Number.POSITIVE_INFINITY) },
    run: async ({ users, secondFactors }) => {
      const holders = await secondFactors.holders()
      return { users: (await users.list()).map((user) => userView(user, holders)) }
    },
  }),
  operation({
    name: 'users.set-role',
    summary: 'give a user another role',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email, role },
    answer,
    run: async (services, input) => answerOf(services, await services.users.setRole(input.email, input.role)),
  }),
  operation({
    name: 'users.set-password',
    summary: 'set a password; ends the sessions of the user',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email, password },
    answer,
    run: async (services, input, operator) => {
      if (operator.user?.email === normalEmail(input.email))
        throw new Problem('forbidden', {
          detail: 'your own password is changed with the current one: svc account password',
        })
      return answerOf(services, await services.users.setPassword(input.email, input.password))
    },
  }),
  operation({
    name: 'users.disable',
    summary: 'bar a user; ends their sessions',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email },
    answer,
    run: async (services, input) => answerOf(services, await services.users.setDisabled(input.email, true)),
  }),
  operation({
    name: 'users.enable',
    summary: 'let a barred user in again',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email },
    answer,
    run: async (services, input) => answerOf(services, await services.users.setDisabled(input.email, false)),
  }),
  operation({
    name: 'users.reset-second-factor',
    summary: 'take the second factor from a user who has lost it; ends their sessions',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email },
    answer: { ...answer, removed: flag() },
    run: async (services, input, operator) => {
      const user = await services.users.resolve(input.email)
      if (operator.user?.id === user.id)
        throw new Problem('forbidden', {
          detail: 'your own second factor is removed with a code: svc account second-factor remove',
        })
      const removed = await services.secondFactors.reset(user)
      return { ...(await answerOf(services, user)), removed }
    },
  }),
  operation({
    name: 'sessions.mint',
    summary: 'open a session for a user and print its cookie',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    confirmed: true,
    input: { email },
    answer: { cookie: word, expires: instant() },
    run: async ({ users, sessions }, input, operator) => {
      const user = await users.resolve(input.email)
      // Minted sessions need no second factor, so users cannot mint their own to avoid it.
      if (operator.user?.id === user.id)
        throw new Problem('forbidden', { detail: 'your own session is opened by signing in: svc login' })
      const { cookie, expires } = await sessions.mint(user, { byOperator: true })
      return { cookie, expires: expires.toISOString() }
    },
  }),
  operation({
    name: 'sessions.revoke',
    summary: 'end every session of a user',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    personal: true,
    input: { email },
    answer: { revoked: second },
    run: async ({ users, sessions }, input) => ({
      revoked: await sessions.revokeAll(await users.resolve(input.email)),
    }),
  }),
]
