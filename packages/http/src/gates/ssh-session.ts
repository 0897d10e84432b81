import { may, Problem, type SessionCaller } from '@svc/core'
import type { Gate } from '../exchange/route.ts'
import { LIMITED, type RouteLimit, takeFrom } from './limit.ts'
import { requireSameOrigin } from './same-origin.ts'
import { requireSetUp, signedIn } from './session.ts'

/** Sessions on hosts that one person opens. */
const SESSIONS: RouteLimit = { name: 'cli-session', limit: 20, windowSeconds: 60 }

/** Somebody who may open sessions on hosts. */
export interface SshCaller {
  readonly caller: SessionCaller
  /** The client's address. */
  readonly address: string
}

/**
 * Admits signed-in people with `platform.ssh` while a relay is configured: without one they are refused
 * before the body is read (docs/ssh.md).
 */
export const sshSession: Gate<SshCaller> = {
  security: ['session'],
  replies: {
    ...LIMITED,
    401: { description: 'No valid session.' },
    403: {
      description:
        'The session lacks platform.ssh, or a second factor that is demanded; or another site asks.',
    },
    503: { description: 'No relay is configured.' },
  },
  admit: async (request) => {
    const caller = await signedIn(request)
    requireSetUp(caller)
    if (!may(caller.user, 'platform.ssh')) throw new Problem('forbidden')
    requireSameOrigin(request)
    await takeFrom(request, SESSIONS, caller.user.id)
    request.plane.access.requireRelay()
    return { caller, address: request.address }
  },
}
