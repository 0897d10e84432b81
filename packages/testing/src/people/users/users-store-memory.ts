import type { NewUser, Tenant, User, UserChange, UsersStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import type { MemorySession } from '../sessions/sessions-store-memory.ts'

/** A user as the fake stores them. */
export type MemoryUser = User & { readonly passwordHash: string | undefined }

const toUser = ({ passwordHash, ...user }: MemoryUser): User => user as User

/** Users in memory. */
export function memoryUsersStore(tables: MemoryTables, run: Run, time: () => Date): UsersStore {
  const users = tables.of<MemoryUser>('users')
  const sessions = tables.of<MemorySession>('sessions')
  const tenants = tables.of<Tenant>('tenants')
  const find = (email: string) => users.all().find((row) => row.email === email)
  const hasFirst = () => users.all().some(({ role }) => role === 'super_admin')
  const add = (user: NewUser, now: Date) => {
    if (find(user.email) !== undefined) return undefined
    if (users.get(user.id) !== undefined) throw new Error(`there is a user ${user.id} already`)
    if (user.tenantId !== undefined && tenants.get(user.tenantId) === undefined)
      throw new Error(`there is no tenant ${user.tenantId}`)
    const row = { ...user, createdAt: now, disabledAt: undefined } as MemoryUser
    users.put(user.id, row)
    return toUser(row)
  }
  return {
    add: (user: NewUser, now = time()) => run(() => add(user, now)),
    addFirst: (user: NewUser, now = time()) => run(() => (hasFirst() ? undefined : add(user, now))),
    hasFirst: () => run(hasFirst),
    byEmail: (email) =>
      run(() => {
        const row = find(email)
        return row === undefined ? undefined : toUser(row)
      }),
    credentials: (email) =>
      run(() => {
        const row = find(email)
        return row === undefined ? undefined : { user: toUser(row), passwordHash: row.passwordHash }
      }),
    change: (userId: string, change: UserChange, now = time()) =>
      run(() => {
        const row = users.get(userId)
        if (change.formerHash !== undefined && change.formerHash !== row?.passwordHash) return undefined
        if (change.passwordHash !== undefined || change.disabled === true) {
          for (const session of sessions.all().filter((each) => each.userId === userId)) {
            sessions.put(session.digest, { ...session, revokedAt: session.revokedAt ?? now })
          }
        }
        if (row === undefined) return undefined
        const changed = changedUser(row, change, now)
        users.put(userId, changed)
        return toUser(changed)
      }),
    list: () =>
      run(() =>
        users
          .all()
          .sort((one, other) => byBytes(one.email, other.email))
          .map(toUser),
      ),
  }
}

function changedUser(row: MemoryUser, change: UserChange, now: Date): MemoryUser {
  const disabledAt =
    change.disabled === false ? undefined : (row.disabledAt ?? (change.disabled ? now : undefined))
  const { role = row.role, passwordHash = row.passwordHash } = change
  return { ...row, role, passwordHash, disabledAt } as MemoryUser
}
