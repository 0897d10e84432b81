import type { Permission } from '../users/permission.ts'
import { may, type User } from '../users/user.ts'
import type { OperationScope } from './operation.ts'

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

/** Returns whether an operator may run an operation: a tenant's people only what is for tenants. */
export const mayRun = (
  operator: Operator,
  { permission, scope }: { readonly permission: Permission; readonly scope: OperationScope },
): boolean => holds(operator, permission) && (scope === 'tenant' || operator.user?.tenantId === undefined)
