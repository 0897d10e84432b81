import { defineEntity, p } from '@mikro-orm/core'
import { digest, person, time, word } from '../database/table-sql.ts'

/** Table `admins`. */
export const AdminEntity = defineEntity({
  name: 'Admin',
  tableName: 'admins',
  properties: {
    id: word(p.text().primary()),
    email: person(p.text()),
    role: word(p.text()),
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
    role: word(p.text()),
    tenantId: word(p.text()),
    passwordHash: digest(p.text().nullable()),
    disabledAt: time().nullable(),
    createdAt: time(),
  },
})

/** Its tables. */
export const entities = [AdminEntity, UserEntity]
