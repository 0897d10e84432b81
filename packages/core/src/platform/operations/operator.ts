import type { Scope } from '../../kernel/scope.ts'
import type { OperationScope } from './operation.ts'
import type { Permission } from './permission.ts'
import { type Membership, may } from './permission.ts'

/** A program with an API token. */
export type Program = Membership & { readonly id: string }
/** A signed-in person. */
export type Person = Program & { readonly email: string }

/** The person or program that runs an operation. */
export type Operator = {
  /** Name in the audit log and in records of actions. */
  readonly name: string
  /** The part of the plane that exists for them. */
  readonly scope: Scope
  /** The address that the request came from, if it came over the network. */
  readonly address?: string | undefined
} & (
  | { readonly user: Person; readonly token?: undefined }
  | { readonly token: Program; readonly user?: undefined }
  /** Without a user and a token: somebody on the machine, with every permission. */
  | { readonly user?: undefined; readonly token?: undefined }
)

/** The requirements of an operation. */
export interface Asked {
  readonly permission: Permission
  readonly scope: OperationScope
  readonly confirmed?: true
  readonly personal?: true
}

/** Returns the role and the tenant of an operator; undefined for somebody on the machine. */
export const roleOf = ({ user, token }: Operator): Membership | undefined => user ?? token

/** Returns whether an operator has `permission`. */
export const holds = (operator: Operator, permission: Permission): boolean => {
  const role = roleOf(operator)
  return role === undefined || may(role, permission)
}

/** Returns why an operator may not run an operation, in a few words; undefined if they may. */
export function lackOf(operator: Operator, { permission, scope, ...asked }: Asked): string | undefined {
  if (!holds(operator, permission)) return `needs ${permission}`
  if (scope === 'platform' && roleOf(operator)?.tenantId !== undefined) return 'is for platform staff'
  const isPersonal = asked.confirmed === true || asked.personal === true
  return operator.token !== undefined && isPersonal ? 'is for people, not for API tokens' : undefined
}

/** Returns whether an operator may run an operation. */
export const mayRun = (operator: Operator, asked: Asked): boolean => lackOf(operator, asked) === undefined
