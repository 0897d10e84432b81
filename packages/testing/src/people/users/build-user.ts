import type { NewUser } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a user of platform staff with a unique email. */
export function buildUser(fields: Partial<NewUser> = {}): NewUser {
  const id = fields.id ?? buildId('usr')
  return {
    id,
    email: `${id}@example.com`,
    role: 'operator',
    tenantId: undefined,
    passwordHash: undefined,
    ...fields,
  }
}
