import { type Caller, may, type Permission, Problem, type RateLimit, type SessionCaller } from '@svc/core'
import { isApiTokenLike, membershipOf, normalEmail, type TokenCaller } from '@svc/core/adapters'
import type { Gate, GateRequest } from '../exchange/route.ts'
import { bearerOf } from './bearer.ts'
import { LIMITED, takeByAddress, takeFrom } from './limit.ts'
import { requireSameOrigin } from './same-origin.ts'

/** Sign-ins per client address. */
export const LOGINS_PER_IP: RateLimit = { name: 'login-per-ip', limit: 5, windowSeconds: 60 }
/** Sign-ins per account. */
export const LOGINS_PER_ACCOUNT: RateLimit = { name: 'login-per-account', limit: 10, windowSeconds: 900 }

/** Returns the signed-in caller, even one who has yet to set up a required second factor. */
export async function signedIn({ plane, headers }: GateRequest): Promise<SessionCaller> {
  const caller = await plane.sessions.authenticate(headers.cookie)
  if (caller === undefined) throw new Problem('unauthorized')
  return caller
}

/** @throws Problem `forbidden` for people who lack a required second factor */
export function requireSetUp(caller: Caller): void {
  if ('token' in caller || !caller.mustSetUp) return
  throw new Problem('forbidden', { detail: 'a second factor is demanded: svc account second-factor add' })
}

/** Bad API tokens, per client address. Good ones are not counted. */
const BAD_TOKENS: RateLimit = { name: 'bad-token', limit: 120, windowSeconds: 60 }

/** Returns the program whose API token the request has, or else the signed-in person. */
async function identified(request: GateRequest): Promise<Caller> {
  const bearer = bearerOf(request.rawHeaders)
  return bearer !== undefined && isApiTokenLike(bearer) ? tokenCaller(request, bearer) : signedIn(request)
}

/** Returns the program whose API token the request has. @throws Problem `unauthorized` */
export async function tokenCaller(request: GateRequest, bearer: string): Promise<TokenCaller> {
  const caller = await request.plane.apiTokens.authenticate(bearer)
  if (caller !== undefined) return caller
  await takeByAddress(request, BAD_TOKENS)
  throw new Problem('unauthorized')
}

const lacking = (permission: Permission | undefined): string =>
  [...(permission === undefined ? [] : [permission]), 'a second factor that is demanded'].join(', or ')

/**
 * Admits signed-in people and API tokens that hold `permission`, if one is given (spec, Authentication:
 * Session and permissions).
 */
export const session = (permission?: Permission): Gate<Caller> => ({
  security: ['apiToken', 'session'],
  replies: {
    ...LIMITED,
    401: { name: 'NoCaller', description: 'No valid session or API token.' },
    403: { description: `The session or the token lacks ${lacking(permission)}.` },
  },
  admit: async (request) => {
    const caller = await identified(request)
    requireSetUp(caller)
    if (permission !== undefined && !may(membershipOf(caller), permission)) throw new Problem('forbidden')
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
    401: { name: 'NoSession', description: 'No valid session.' },
    403: { name: 'ForeignSite', description: 'A request on behalf of another site.' },
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
export async function countTry(
  request: Pick<GateRequest, 'plane' | 'address'>,
  { user }: SessionCaller,
): Promise<void> {
  await takeByAddress(request, LOGINS_PER_IP)
  await takeFrom(request, LOGINS_PER_ACCOUNT, normalEmail(user.email))
}

/** A caller of operations, with the function to call before a password is checked. */
export interface OperatorCaller {
  readonly caller: Caller
  readonly countTry: () => Promise<void>
  /** The client's address. */
  readonly address: string
}

/**
 * Admits signed-in people whose request comes from the service's own pages, and API tokens; each operation
 * checks its own permission, and whether it is for a tenant's people and for tokens.
 */
export const operatorSession: Gate<OperatorCaller> = {
  security: ['apiToken', 'session'],
  replies: {
    ...LIMITED,
    401: { name: 'NoCaller', description: 'No valid session or API token.' },
    403: { description: 'A request from another site, or a second factor that is demanded is missing.' },
  },
  admit: async (request) => {
    const caller = await identified(request)
    requireSameOrigin(request)
    requireSetUp(caller)
    const { address } = request
    const tried = async () => ('token' in caller ? undefined : countTry(request, caller))
    return { caller, address, countTry: tried }
  },
}
