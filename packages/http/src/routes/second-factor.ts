import { listOf, MAX_PASSWORD_CHARS, shape, text } from '@svc/core/adapters'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json, OK } from '../exchange/reply.ts'
import { type Replies, route } from '../exchange/route.ts'
import { confirmingSession } from '../gates/session.ts'

/** Longest one-time code or recovery code, spaces included. */
export const MAX_CODE_CHARS = 64

const current = text(1, MAX_PASSWORD_CHARS)
const code = text(1, MAX_CODE_CHARS)
const shown = text(1, 1024)

const replies = (wrong: string, conflict: string): Replies => ({
  400: { description: 'Invalid body.' },
  401: { description: `No valid session, or ${wrong}.` },
  409: { description: conflict },
  503: {
    description: 'Too many passwords are being checked.',
    headers: { 'Retry-After': 'Whole seconds.' },
  },
})

/** Managing one's own second factor, for people who sign in with a password. */
export const secondFactorRoutes = [
  route({
    name: 'account.begin-second-factor',
    method: 'POST',
    path: '/account/second-factor',
    summary: 'Begin a second factor; it counts for nothing until its first code came, within ten minutes.',
    operatorErrors: true,
    gate: confirmingSession,
    body: jsonBody(shape({ current })),
    replies: {
      ...replies('a wrong password', 'There is a second factor already, or no password.'),
      200: {
        description: 'The secret for an authenticator app, shown once: SHA-1, 6 digits, 30 s.',
        body: shape({ otpauth_uri: shown, secret: shown }),
      },
    },
    handle: async ({ plane, caller, body }) => {
      const { uri, secret } = await plane.secondFactors.begin(caller.user, body.current)
      return json({ otpauth_uri: uri, secret })
    },
  }),
  route({
    name: 'account.confirm-second-factor',
    method: 'POST',
    path: '/account/second-factor/confirm',
    summary: 'Confirm the second factor by its first code; ends all other sessions.',
    operatorErrors: true,
    gate: confirmingSession,
    body: jsonBody(shape({ code })),
    replies: {
      ...replies('a wrong code', 'No second factor waits for its first code.'),
      200: {
        description: 'Ten recovery codes, shown once, each good for one sign-in.',
        body: shape({ recovery_codes: listOf(shown, 10) }),
      },
    },
    handle: async ({ plane, caller, body }) => {
      const codes = await plane.secondFactors.confirm(caller.user, body.code, caller.digest)
      return json({ recovery_codes: codes })
    },
  }),
  route({
    name: 'account.remove-second-factor',
    method: 'POST',
    path: '/account/second-factor/remove',
    summary: 'Remove the second factor, with the password and a code or recovery code.',
    operatorErrors: true,
    gate: confirmingSession,
    body: jsonBody(shape({ current, code })),
    replies: {
      ...replies('a wrong password or code: which of them is not said', 'There is no second factor.'),
      200: { description: 'Removed.', body: OK },
    },
    handle: async ({ plane, caller, body }) => {
      await plane.secondFactors.remove(caller.user, body.current, body.code)
      return json({ ok: true })
    },
  }),
]
