import { Problem, type RateLimit } from '@svc/core'
import { requireSameOrigin } from '../gates/same-origin.ts'
import type { Visit } from './visit.ts'

/** One sending of a form: a second one within a day is refused. */
const ONCE: RateLimit = { name: 'console-form', limit: 1, windowSeconds: 86_400 }

/**
 * Takes a form that one of the console's own pages made for this session, once: a page that is sent again by
 * a doubled click or by going back does nothing twice.
 * @throws Problem `forbidden` for a form of another site, session or page, `conflict` for one that was sent
 */
export async function requireForm({ plane, request }: Visit, form: URLSearchParams): Promise<void> {
  requireSameOrigin(request)
  const nonce = plane.sessions.formNonce(request.headers.cookie, form.get('form') ?? '')
  if (nonce === undefined)
    throw new Problem('forbidden', { detail: 'the form is not from this session: load its page again' })
  const { allowed } = await plane.limits.take(ONCE, nonce)
  if (!allowed)
    throw new Problem('conflict', { detail: 'this form was sent before: look whether it did its work' })
}
