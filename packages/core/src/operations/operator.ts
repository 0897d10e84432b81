import type { Permission } from '../users/permission.ts'
import { may, type User } from '../users/user.ts'

/** The person who runs an operation. */
export interface Operator {
  /** Name in the audit log and in records of actions. */
  readonly name: string
  /** The signed-in user. If absent, the operator is on the machine and has every permission. */
  readonly user?: User
}

/** Returns whether an operator has `permission`. */
export const holds = ({ user }: Operator, permission: Permission): boolean =>
  user === undefined || may(user, permission)
