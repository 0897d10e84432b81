import { may, type Permission, Problem, type SessionCaller } from '@svc/core'
import type { Gate } from '../route.ts'
import { requireSameOrigin } from './same-origin.ts'

/** People who are signed in, and hold `permission` when one is asked (spec, Authentication: Session and permissions). */
export const session = (permission?: Permission): Gate<SessionCaller> => ({
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    ...(permission === undefined ? {} : { 403: { description: `The session lacks ${permission}.` } }),
  },
  admit: async ({ plane, headers }) => {
    const caller = await plane.sessions.authenticate(headers.cookie)
    if (caller === undefined) throw new Problem('unauthorized')
    if (permission !== undefined && !may(caller.user, permission)) throw new Problem('forbidden')
    return caller
  },
})

/**
 * People who are signed in, from the service's own pages: the cookie comes along whoever made a browser's request.
 */
export const ownPagesSession: Gate<SessionCaller> = {
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: 'A request on behalf of another site.' },
  },
  admit: async (arrival) => {
    const caller = await session().admit(arrival)
    requireSameOrigin(arrival)
    return caller
  },
}

/** Platform staff who are signed in, from the service's own pages; what they may do is asked of each operation. */
export const operatorSession: Gate<SessionCaller> = {
  security: ['session'],
  replies: {
    401: { description: 'No valid session.' },
    403: { description: 'Not platform staff, a request from another site, or the permission is missing.' },
  },
  admit: async (arrival) => {
    const caller = await ownPagesSession.admit(arrival)
    if (caller.user.tenantId !== undefined) throw new Problem('forbidden')
    return caller
  },
}
