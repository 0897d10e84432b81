import { optional } from 'superstruct'
import { unixSeconds } from '../agents/agent.ts'
import { operation } from '../operations/operation.ts'
import { matching, text } from '../validation.ts'
import { MAX_PASSWORD_CHARS } from './passwords.ts'
import { permissionsOf, type User } from './user.ts'

const email = matching(/^[^\s@]{1,64}@[^\s@]{1,189}$/, 'an email address')
const role = text(1, 32)
const password = text(12, MAX_PASSWORD_CHARS)

const userView = (user: User) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  ...(user.tenantId === undefined ? {} : { tenant_id: user.tenantId }),
  permissions: permissionsOf(user),
  ...(user.disabledAt === undefined ? {} : { disabled_at: unixSeconds(user.disabledAt) }),
  created_at: unixSeconds(user.createdAt),
})

/** What operators can do with users and their sessions. */
export const userOperations = [
  operation({
    name: 'users.add',
    summary: 'add a user: platform staff, or with a tenant one of its people',
    permission: 'platform.admin',
    changes: true,
    input: { email, role, tenant: optional(text(1, 128)), password: optional(password) },
    run: async ({ users, tenants }, input) => {
      const tenantId = input.tenant === undefined ? undefined : (await tenants.resolve(input.tenant)).id
      const user = await users.add({
        email: input.email,
        role: input.role,
        tenantId,
        password: input.password,
      })
      return { user: userView(user) }
    },
  }),
  operation({
    name: 'users.list',
    summary: 'list the users',
    permission: 'platform.admin',
    changes: false,
    input: {},
    run: async ({ users }) => ({ users: (await users.list()).map(userView) }),
  }),
  operation({
    name: 'users.set-role',
    summary: 'give a user another role',
    permission: 'platform.admin',
    changes: true,
    input: { email, role },
    run: async ({ users }, input) => ({ user: userView(await users.setRole(input.email, input.role)) }),
  }),
  operation({
    name: 'users.set-password',
    summary: 'set a password; ends the sessions of the user',
    permission: 'platform.admin',
    changes: true,
    input: { email, password },
    run: async ({ users }, input) => ({
      user: userView(await users.setPassword(input.email, input.password)),
    }),
  }),
  operation({
    name: 'users.disable',
    summary: 'bar a user; ends their sessions',
    permission: 'platform.admin',
    changes: true,
    input: { email },
    run: async ({ users }, input) => ({ user: userView(await users.setDisabled(input.email, true)) }),
  }),
  operation({
    name: 'users.enable',
    summary: 'let a barred user in again',
    permission: 'platform.admin',
    changes: true,
    input: { email },
    run: async ({ users }, input) => ({ user: userView(await users.setDisabled(input.email, false)) }),
  }),
  operation({
    name: 'sessions.mint',
    summary: 'open a session for a user and print its cookie',
    permission: 'platform.admin',
    changes: true,
    input: { email },
    run: async ({ users, sessions }, input) => {
      const { cookie, expires } = await sessions.mint(await users.resolve(input.email))
      return { cookie, expires: expires.toISOString() }
    },
  }),
  operation({
    name: 'sessions.revoke',
    summary: 'end every session of a user',
    permission: 'platform.admin',
    changes: true,
    input: { email },
    run: async ({ users, sessions }, input) => ({
      revoked: await sessions.revokeAll(await users.resolve(input.email)),
    }),
  }),
]
