import { may, normalEmail, type Permission, Problem, type SessionCaller } from '@svc/core'
import type { Arrival, Gate } from '../route.ts'
import { LIMITED, takeByAddress, takeFrom } from './limit.ts'
import { requireSameOrigin } from './same-origin.ts'

/** Whoever is signed in, those too who have yet to set up what is demanded of them. */
async function signedIn({ plane, headers }: Arrival): Promise<SessionCaller> {
  const caller = await plane.sessions.authenticate(headers.cookie)
  if (caller === undefined) throw new Problem('unauthorized')
  return caller
}

/** @throws Problem `forbidden` for people without the second factor that is demanded of them */
function requireSetUp({ mustSetUp }: SessionCaller): void {
  if (!mustSetUp) return
  throw new Problem('forbidden', { detail: 'a second factor is demanded: svc account second-factor add' })
}

const lacking = (permission: Permission | undefined): string =>
  [...(permission === undefined ? [] : [permission]), 'a second factor that is demanded'].join(', or ')

/**
 * People who are signed in, and hold `permission` when one is asked (spec, Authentication: Session and
 * permissions).
 */
export const session = (permission?: Permission): Gate<SessionCaller> => ({
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: `The session lacks ${lacking(permission)}.` },
  },
  admit: async (arrival) => {
    const caller = await signedIn(arrival)
    requireSetUp(caller)
    if (permission !== undefined && !may(caller.user, permission)) throw new Problem('forbidden')
    return caller
  },
})

/**
 * People who are signed in, from the service's own pages: the cookie comes along whoever made a browser's
 * request. For what concerns the session and the account alone: those pass who have yet to set up their
 * second factor.
 */
export const ownPagesSession: Gate<SessionCaller> = {
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: 'A request on behalf of another site.' },
  },
  admit: async (arrival) => {
    const caller = await signedIn(arrival)
    requireSameOrigin(arrival)
    return caller
  },
}

/**
 * People who confirm with their password that it is them, as often as they may sign in: each try counts as
 * one.
 */
export const confirmingSession: Gate<SessionCaller> = {
  security: ['session'],
  replies: { ...LIMITED, ...ownPagesSession.replies },
  admit: async (arrival) => {
    const caller = await ownPagesSession.admit(arrival)
    await countTry(arrival, caller)
    return caller
  },
}

/** Counts a try to confirm that it is them, as a sign-in: by their address, and by their account. */
async function countTry(arrival: Pick<Arrival, 'plane' | 'address'>, { user }: SessionCaller): Promise<void> {
  await takeByAddress(arrival, 'login-per-ip')
  await takeFrom(arrival, 'login-per-account', normalEmail(user.email))
}

/** Platform staff who are signed in, and what to call before their password is looked at. */
export interface StaffCaller extends SessionCaller {
  readonly countTry: () => Promise<void>
}

/**
 * Platform staff who are signed in, from the service's own pages; what they may do is asked of each
 * operation.
 */
export const operatorSession: Gate<StaffCaller> = {
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: 'Not platform staff, a request from another site, or the permission is missing.' },
  },
  admit: async (arrival) => {
    const caller = await ownPagesSession.admit(arrival)
    requireSetUp(caller)
    if (caller.user.tenantId !== undefined) throw new Problem('forbidden')
    return { ...caller, countTry: () => countTry(arrival, caller) }
  },
}
