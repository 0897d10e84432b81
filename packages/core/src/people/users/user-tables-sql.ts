import { defineEntity, p } from '@mikro-orm/core'
import { digest, person, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import type { AdminRole, TenantRole } from '../../platform/operations/permission.ts'
import type { User } from './users-store.ts'

/** Table `admins`. */
export const AdminEntity = defineEntity({
  name: 'Admin',
  tableName: 'admins',
  properties: {
    id: word(p.text().primary()),
    email: person(p.text()),
    role: word(p.text().$type<AdminRole>()),
    passwordHash: digest(p.text().nullable()),
    disabledAt: time().nullable(),
    createdAt: time(),
  },
})

/** Table `users`. */
export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: word(p.text().primary()),
    email: person(p.text()),
    role: word(p.text().$type<TenantRole>()),
    tenantId: word(p.text()),
    passwordHash: digest(p.text().nullable()),
    disabledAt: time().nullable(),
    createdAt: time(),
  },
})

/** Its tables. */
export const entities = [AdminEntity, UserEntity]

/** A user, and the hash of the password if there is one. */
export interface Credentials {
  readonly user: User
  readonly passwordHash: string | undefined
}

const read = valuesOf(UserEntity)
/** Reads a row of `users`, or one of `admins` with null for a tenant. */
export function toCredentials(row: object): Credentials {
  const { passwordHash, ...user } = read(row)
  return { user, passwordHash }
}
