import { ofTenant, PLATFORM, type Scope } from '../../kernel/scope.ts'
import type { Operator } from '../../platform/operations/operator.ts'
import type { Membership } from '../../platform/operations/permission.ts'
import type { TokenCaller } from '../api-tokens/api-tokens.ts'
import type { SessionCaller } from '../sessions/sessions.ts'

/** The identified sender of a request: a person with a session, or a program with an API token. */
export type Caller = SessionCaller | TokenCaller

/** Returns the role and the tenant of a caller. */
export const membershipOf = (caller: Caller): Membership => ('token' in caller ? caller.token : caller.user)

const scopeOf = ({ tenantId }: Membership): Scope => (tenantId === undefined ? PLATFORM : ofTenant(tenantId))

/** Returns a caller as an operator. No user's email has a colon, so none looks like a token. */
export const operatorOf = (caller: Caller): Operator => {
  const scope = scopeOf(membershipOf(caller))
  return 'token' in caller
    ? { name: `token:${caller.token.id}`, scope, token: caller.token }
    : { name: caller.user.email, scope, user: caller.user }
}
