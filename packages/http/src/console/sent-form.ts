import { Problem, type RateLimit } from '@svc/core'
import { Refusal } from '../exchange/errors.ts'
import type { Visit } from './visit.ts'

/** The fields of a form that was sent: the first value of each name. */
export type SentForm = ReadonlyMap<string, string>

/** Fields of a form; to read more would hold up everybody. */
const MOST_FIELDS = 5000
const AND = '&'.charCodeAt(0)

/** Reads the bytes of a form. @throws Refusal `payload-too-large` for too many fields */
export function readSent(bytes: Buffer): SentForm {
  let fields = 1
  for (let at = bytes.indexOf(AND); at >= 0; at = bytes.indexOf(AND, at + 1)) {
    fields += 1
    if (fields > MOST_FIELDS) throw new Refusal('payload-too-large')
  }
  const sent = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (!sent.has(name)) sent.set(name, value)
  }
  return sent
}

/** Bytes of the form of somebody who is not signed in. */
const MAX_VISITORS_BYTES = 8 * 1024

/** Reads the form of somebody who is not signed in. @throws Refusal `payload-too-large` */
export function readVisitorsForm(bytes: Buffer | undefined): SentForm | undefined {
  if (bytes !== undefined && bytes.length > MAX_VISITORS_BYTES) throw new Refusal('payload-too-large')
  return bytes && readSent(bytes)
}

/** One sending of a form: a second one within a day is refused. */
const ONCE: RateLimit = { name: 'console-form', limit: 1, windowSeconds: 86_400 }

/**
 * Takes a form that one of the console's own pages made for this session, once: a page that is sent again by
 * a doubled click or by going back does nothing twice.
 * @throws Problem `forbidden` for a form of another session, `conflict` for one that was sent
 */
export async function takeForm({ plane, request }: Visit, form: SentForm): Promise<void> {
  const nonce = plane.sessions.formNonce(request.headers.cookie, form.get('form') ?? '')
  if (nonce === undefined)
    throw new Problem('forbidden', {
      detail: 'this form is from another sign-in: look at it once more, and send it',
    })
  const { allowed } = await plane.limits.take(ONCE, nonce)
  if (!allowed)
    throw new Problem('conflict', { detail: 'this form was sent before: look whether it did its work' })
}
