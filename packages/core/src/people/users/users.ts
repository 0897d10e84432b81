import { Problem } from '../../kernel/problem.ts'
import { PLATFORM } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import { ADMIN_ROLES, TENANT_ROLES } from '../../platform/operations/permission.ts'
import { judgePassword } from '../../platform/passwords/password-strength.ts'
import { MAX_PASSWORD_CHARS, sayBusy } from '../../platform/passwords/passwords.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { normalEmail, type User } from './users-store.ts'

/** Dependencies of `Users`. */
export type UsersParts = Pick<Base, 'storage' | 'clock' | 'ids' | 'passwords'>

/** Input for a new user. Without a tenant the user is platform staff. */
export interface AddUserInput {
  readonly email: string
  readonly role: string
  readonly tenantId: string | undefined
  /** If undefined, the user cannot sign in with a password yet, but sessions can be minted. */
  readonly password: string | undefined
}

/** Name of the holder of a one-time code in the audit log. */
const FIRST_CODE = 'local:first-code'

/** Users who can sign in. */
export class Users {
  readonly #parts: UsersParts

  constructor(parts: UsersParts) {
    this.#parts = parts
  }

  /**
   * Adds a user.
   * @throws Problem `invalid-input` for a role that does not fit or a password that is too easy to guess,
   * `conflict` if the email is taken
   */
  async add(input: AddUserInput): Promise<User> {
    const { storage, clock, ids } = this.#parts
    const email = normalEmail(input.email)
    const role = fittingRole(input.role, input.tenantId)
    const passwordHash = input.password === undefined ? undefined : await this.#hash(input.password, input)
    const made = { id: ids.next('usr'), email, role, tenantId: input.tenantId, passwordHash }
    const user = await storage.users.add(made, clock.statementTime())
    if (user === undefined) throw new Problem('conflict', { detail: `there is a user ${email} already` })
    return user
  }

  /**
   * Adds the first administrator, with an audit row of its own: nobody runs an operation here.
   * @throws Problem `invalid-input` for a password that is too easy to guess, `not-found` if there is an
   * administrator, `conflict` if the email is taken
   */
  async addFirst(given: string, password: string): Promise<User> {
    const { storage, clock, ids } = this.#parts
    const email = normalEmail(given)
    const passwordHash = await this.#hash(password, { email, tenantId: undefined })
    const role = 'super_admin'
    const made = { id: ids.next('usr'), email, role, tenantId: undefined, passwordHash } as const
    const now = clock.statementTime()
    return storage.transaction(async ({ users, audit }) => {
      const user = await users.addFirst(made, now)
      if (user === undefined && (await users.hasFirst())) throw new Problem('not-found')
      if (user === undefined)
        throw new Problem('conflict', { detail: `there is a user ${email} already: take another address` })
      const entry = { actor: FIRST_CODE, operation: 'users.add', input: { email, role }, outcome: 'ok' }
      await audit.add({ id: ids.next('aud'), ...entry }, now)
      return user
    })
  }

  /** Whether there is an administrator; until then a one-time code makes the first one. */
  hasFirst(): Promise<boolean> {
    return this.#parts.storage.users.hasFirst()
  }

  /**
   * Returns the user with this email.
   * @throws Problem `not-found`
   */
  async resolve(email: string): Promise<User> {
    const user = await this.#parts.storage.users.byEmail(normalEmail(email))
    if (user === undefined)
      throw new Problem('not-found', { detail: `there is no user ${normalEmail(email)}` })
    return user
  }

  /** Lists users, ordered by email. */
  list(): Promise<readonly User[]> {
    return this.#parts.storage.users.list()
  }

  /** Changes the role of a user, from the next request on. */
  async setRole(email: string, role: string): Promise<User> {
    const user = await this.resolve(email)
    return this.#change(user, { role: fittingRole(role, user.tenantId) })
  }

  /**
   * Sets a new password and ends every session of the user.
   * @throws Problem `invalid-input` for a password that is too easy to guess
   */
  async setPassword(email: string, password: string): Promise<User> {
    const user = await this.resolve(email)
    return this.#change(user, { passwordHash: await this.#hash(password, user) })
  }

  /**
   * Replaces the password that has `formerHash`, and ends every session of the user.
   * @throws Problem `invalid-input` for a password that is too easy to guess, `conflict` if the password was
   * changed meanwhile
   */
  async replacePassword(user: User, formerHash: string, password: string): Promise<User> {
    const { storage, clock } = this.#parts
    const passwordHash = await this.#hash(password, user)
    const changed = await storage.users.change(user.id, { formerHash, passwordHash }, clock.statementTime())
    if (changed === undefined) throw new Problem('conflict', { detail: 'the password was changed meanwhile' })
    return changed
  }

  /**
   * Returns the hash of the user's password if `password` is correct, else undefined.
   * @throws Problem `conflict` if the user has no password yet, `unavailable` while too many are being
   * checked
   */
  async confirm(user: User, password: string): Promise<string | undefined> {
    const { storage, passwords } = this.#parts
    const hash = (await storage.users.credentials(user.email))?.passwordHash
    if (hash === undefined)
      throw new Problem('conflict', { detail: 'you have no password yet: an operator sets the first one' })
    const isRight = await passwords.check(password.slice(0, MAX_PASSWORD_CHARS), hash, user.id).catch(sayBusy)
    return isRight ? hash : undefined
  }

  /** Disables a user, which ends every session, or enables them again. */
  async setDisabled(email: string, disabled: boolean): Promise<User> {
    return this.#change(await this.resolve(email), { disabled })
  }

  async #hash(password: string, { email, tenantId }: Pick<User, 'email' | 'tenantId'>): Promise<string> {
    const tenant =
      tenantId === undefined ? undefined : await this.#parts.storage.tenants.find(PLATFORM, tenantId)
    await judgePassword(password, { email: normalEmail(email), tenant: tenant?.name })
    return this.#parts.passwords.hash(password)
  }

  async #change(user: User, change: Parameters<Storage['users']['change']>[1]): Promise<User> {
    const { storage, clock } = this.#parts
    const changed = await storage.users.change(user.id, change, clock.statementTime())
    if (changed === undefined) throw new Problem('not-found', { detail: `there is no user ${user.email}` })
    return changed
  }
}

/**
 * Returns a role if it is one of platform staff or, with a tenant, one of a tenant's users.
 * @throws Problem `invalid-input`
 */
export function fittingRole(role: string, tenantId: string | undefined): User['role'] {
  const roles: readonly string[] = tenantId === undefined ? ADMIN_ROLES : TENANT_ROLES
  if (roles.includes(role)) return role as User['role']
  const whose = tenantId === undefined ? 'platform staff' : "a tenant's user"
  throw new Problem('invalid-input', { details: [`role: expected one of ${roles.join(', ')} for ${whose}`] })
}
