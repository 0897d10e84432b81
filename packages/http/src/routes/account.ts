import { Problem } from '@svc/core'
import {
  flag,
  listOf,
  MAX_PASSWORD_CHARS,
  MIN_PASSWORD_CHARS,
  sessionView,
  shape,
  text,
  whole,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json, OK, UNBOUNDED } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { confirmingSession, ownPagesSession } from '../gates/session.ts'

const MAX_ID_CHARS = 64

const current = text(1, MAX_PASSWORD_CHARS)
const passwordBody = shape({ current, password: text(MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS) })
const endBody = shape({ current, id: optional(text(1, MAX_ID_CHARS)), all: optional(flag()) })

const second = whole(0, Number.MAX_SAFE_INTEGER)
const sessionShape = shape({
  id: text(1, MAX_ID_CHARS),
  created_at: second,
  last_used_at: second,
  expires_at: second,
  current: flag(),
})

const CONFIRMED = { 401: { description: 'No valid session, or a wrong current password.' } }

/**
 * Routes for people of every role to manage their own account, including tenants' people, who may run no
 * operation.
 */
export const accountRoutes = [
  route({
    name: 'account.sessions',
    method: 'GET',
    path: '/account/sessions',
    summary: "The caller's own live sessions, the newest first.",
    operatorErrors: true,
    gate: ownPagesSession,
    replies: {
      200: {
        description: 'The sessions, `current` is the one that asks. Seconds are unix seconds.',
        body: shape({ sessions: listOf(sessionShape, UNBOUNDED) }),
      },
    },
    handle: async ({ plane, caller }) =>
      json({ sessions: (await plane.accounts.sessions(caller)).map(sessionView) }),
  }),
  route({
    name: 'account.end-sessions',
    method: 'POST',
    path: '/account/sessions/end',
    summary: 'End one of the own sessions by its id, or with `all` every one but that which asks.',
    operatorErrors: true,
    gate: confirmingSession,
    body: jsonBody(endBody),
    replies: {
      200: { description: 'How many ended.', body: shape({ ended: whole(0, Number.MAX_SAFE_INTEGER) }) },
      400: { description: 'Invalid body: `current`, and either `id` or `all`.' },
      ...CONFIRMED,
      404: { description: 'No live session of the caller has this id.' },
      409: { description: 'The session that asks, or a user without a password.' },
    },
    handle: async ({ plane, caller, body }) => {
      const { id, all = false } = body
      if (all === (id !== undefined))
        throw new Problem('invalid-input', { details: ['id: expected either id or all'] })
      return json({ ended: await plane.accounts.endSessions(caller, body.current, id) })
    },
  }),
  route({
    name: 'account.change-password',
    method: 'POST',
    path: '/account/password',
    summary: 'Change the own password; every other session ends, and this one is replaced.',
    operatorErrors: true,
    gate: confirmingSession,
    body: jsonBody(passwordBody),
    replies: {
      200: {
        description: 'Changed.',
        body: OK,
        headers: { 'Set-Cookie': 'The session `svc_session` that takes the place of all.' },
      },
      400: { description: 'Invalid body, or a new password that is too easy to guess.' },
      ...CONFIRMED,
      409: { description: 'A user without a password, or one whose password was changed meanwhile.' },
    },
    handle: async ({ plane, caller, body }) => {
      const { setCookie } = await plane.accounts.changePassword(caller, body.current, body.password)
      return json({ ok: true }, { 'Set-Cookie': setCookie })
    },
  }),
]
