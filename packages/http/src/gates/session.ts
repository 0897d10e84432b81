import { may, normalEmail, type Permission, Problem, type RateLimit, type SessionCaller } from '@svc/core'
import type { Gate, GateRequest } from '../route.ts'
import { LIMITED, takeByAddress, takeFrom } from './limit.ts'
import { requireSameOrigin } from './same-origin.ts'

/** Sign-ins per client address. */
export const LOGINS_PER_IP: RateLimit = { name: 'login-per-ip', limit: 5, windowSeconds: 60 }
/** Sign-ins per account. */
export const LOGINS_PER_ACCOUNT: RateLimit = { name: 'login-per-account', limit: 10, windowSeconds: 900 }

/** Returns the signed-in caller, even one who has yet to set up a required second factor. */
async function signedIn({ plane, headers }: GateRequest): Promise<SessionCaller> {
  const caller = await plane.sessions.authenticate(headers.cookie)
  if (caller === undefined) throw new Problem('unauthorized')
  return caller
}

/** @throws Problem `forbidden` for people who lack a required second factor */
function requireSetUp({ mustSetUp }: SessionCaller): void {
  if (!mustSetUp) return
  throw new Problem('forbidden', { detail: 'a second factor is demanded: svc account second-factor add' })
}

const lacking = (permission: Permission | undefined): string =>
  [...(permission === undefined ? [] : [permission]), 'a second factor that is demanded'].join(', or ')

/**
 * Admits signed-in people who hold `permission`, if one is given (spec, Authentication: Session and
 * permissions).
 */
export const session = (permission?: Permission): Gate<SessionCaller> => ({
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: `The session lacks ${lacking(permission)}.` },
  },
  admit: async (request) => {
    const caller = await signedIn(request)
    requireSetUp(caller)
    if (permission !== undefined && !may(caller.user, permission)) throw new Problem('forbidden')
    return caller
  },
})

/**
 * Admits signed-in people whose request comes from the service's own pages: a browser sends the cookie even
 * if another site made the request. For routes about the session and the account only: the gate also admits
 * people who have yet to set up a required second factor.
 */
export const ownPagesSession: Gate<SessionCaller> = {
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: 'A request on behalf of another site.' },
  },
  admit: async (request) => {
    const caller = await signedIn(request)
    requireSameOrigin(request)
    return caller
  },
}

/**
 * Admits people who confirm their identity with their password; each try counts as a sign-in for the rate
 * limits.
 */
export const confirmingSession: Gate<SessionCaller> = {
  security: ['session'],
  replies: { ...LIMITED, ...ownPagesSession.replies },
  admit: async (request) => {
    const caller = await ownPagesSession.admit(request)
    await countTry(request, caller)
    return caller
  },
}

/** Counts a try to confirm an identity as a sign-in, by address and by account. */
async function countTry(
  request: Pick<GateRequest, 'plane' | 'address'>,
  { user }: SessionCaller,
): Promise<void> {
  await takeByAddress(request, LOGINS_PER_IP)
  await takeFrom(request, LOGINS_PER_ACCOUNT, normalEmail(user.email))
}

/** A signed-in caller of operations, with the function to call before their password is checked. */
export interface OperatorCaller extends SessionCaller {
  readonly countTry: () => Promise<void>
}

/**
 * Admits signed-in people whose request comes from the service's own pages; each operation checks its own
 * permission, and whether it is for a tenant's people.
 */
export const operatorSession: Gate<OperatorCaller> = {
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: 'A request from another site, or a second factor that is demanded is missing.' },
  },
  admit: async (request) => {
    const caller = await ownPagesSession.admit(request)
    requireSetUp(caller)
    return { ...caller, countTry: () => countTry(request, caller) }
  },
}
