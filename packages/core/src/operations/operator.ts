import type { Permission } from '../users/permission.ts'
import { may, type User } from '../users/user.ts'

/** Somebody who runs an operation. */
export interface Operator {
  /** Stands in the audit log and beside what they did. */
  readonly name: string
  /** The person who signed in; absent: somebody on the machine, who holds every permission. */
  readonly user?: User
}

/** Whether an operator holds `permission`. */
export const holds = ({ user }: Operator, permission: Permission): boolean =>
  user === undefined || may(user, permission)
