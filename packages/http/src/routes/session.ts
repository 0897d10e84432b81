import { normalEmail, shape, text } from '@svc/core/adapters'
import { optional } from 'superstruct'
import { formBody } from '../exchange/body/form-body.ts'
import { json, OK } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { takeFrom } from '../gates/limit.ts'
import { sameOrigin } from '../gates/same-origin.ts'
import { LOGINS_PER_ACCOUNT, LOGINS_PER_IP, ownPagesSession } from '../gates/session.ts'
import { MAX_CODE_CHARS } from './second-factor.ts'

const MAX_PASSWORD_CHARS = 1024
const MAX_EMAIL_CHARS = 254

const loginBody = shape({
  email: text(1, MAX_EMAIL_CHARS),
  password: text(1, MAX_PASSWORD_CHARS),
  // A page sends the field even if it is empty.
  code: optional(text(0, MAX_CODE_CHARS)),
})
const COOKIE = { 'Set-Cookie': 'The session `svc_session`, or its removal.' }

/** Signing in and out (docs/operators.md). */
export const sessionRoutes = [
  route({
    name: 'account.sign-in',
    method: 'POST',
    path: '/login',
    summary:
      'Sign in with email, password and the code of a second factor, if there is one; as a form or as JSON.',
    gate: sameOrigin(LOGINS_PER_IP),
    body: formBody(loginBody),
    replies: {
      200: { description: 'Signed in.', body: OK, headers: COOKIE },
      400: { description: 'Invalid body.' },
      401: {
        description: 'Unknown user, wrong password, or a missing or wrong code: which of them is not said.',
      },
      503: {
        description: 'Sign-in is closed, or too many are under way.',
        headers: { 'Retry-After': 'Whole seconds; absent while sign-in is closed.' },
      },
    },
    handle: async ({ plane, caller, body, headers }) => {
      await takeFrom({ plane }, LOGINS_PER_ACCOUNT, normalEmail(body.email))
      const { email, password, code } = body
      const { setCookie } = await plane.sessions.login(email, password, headers.cookie, code, caller.address)
      return json({ ok: true }, { 'Set-Cookie': setCookie })
    },
  }),
  route({
    name: 'account.sign-out',
    method: 'POST',
    path: '/logout',
    summary: 'End the session.',
    gate: ownPagesSession,
    replies: { 200: { description: 'Signed out.', body: OK, headers: COOKIE } },
    handle: async ({ plane, caller }) =>
      json({ ok: true }, { 'Set-Cookie': await plane.sessions.logout(caller.digest) }),
  }),
]
