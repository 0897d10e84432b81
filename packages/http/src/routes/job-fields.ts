import { isHeld, isTerminal, type Job, Problem, type ProblemCode, text, whole } from '@svc/core'
import { isVisible } from '../gates/bearer.ts'
import type { Call, Replies } from '../route.ts'

/** The field by which a host names itself (spec). */
export const fingerprint = text(1, 512)
/** The id of a job where a body names one. */
export const jobId = text(1, 64)
/** Which handing out of a job a host speaks of; the database counts them in 32 bits. */
export const attempt = whole(0, 2_147_483_647)

/** The reply to a body that cannot be read. */
export const INVALID: Replies = { 400: { description: 'Invalid JSON, or an invalid body.' } }

/** What a `Svc-Job-State` header says. */
export const JOB_STATE_HEADER =
  '`canceling` when the host should stop the job, or the state in which it ended.'

const JOB_ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The id in a path, when it can be one; what cannot never reaches a statement.
 * @throws Problem `code`, the route's own word for a job that is not there
 */
export function jobIdOf({ id }: { readonly id: string }, code: ProblemCode): string {
  if (!JOB_ID.test(id)) throw new Problem(code)
  return id
}

const MAX_KEY_CHARS = 255

/**
 * The `Idempotency-Key` of a request.
 * @throws Problem `invalid-input` when it is not of 1 to 255 visible characters
 */
export function idempotencyKey({
  headers,
}: Pick<Call<unknown, unknown, never, never>, 'headers'>): string | undefined {
  const given = headers['idempotency-key']
  if (given === undefined) return undefined
  if (typeof given === 'string' && given !== '' && given.length <= MAX_KEY_CHARS && isVisible(given))
    return given
  const details = [`Idempotency-Key: expected 1 to ${MAX_KEY_CHARS} visible characters`]
  throw new Problem('invalid-input', { details })
}

/** The header that names a host's jobs that should stop; none when there are none. */
export const cancelHeaders = (ids: readonly string[]): Record<string, string> =>
  ids.length === 0 ? {} : { 'Svc-Cancel': ids.join(',') }

/** The header that tells a host what became of the job it writes to; none while all is as it thinks. */
export function jobStateHeaders({ state, cancel }: Pick<Job, 'state' | 'cancel'>): Record<string, string> {
  if (isTerminal(state)) return { 'Svc-Job-State': state }
  return isHeld(state) && cancel !== undefined ? { 'Svc-Job-State': 'canceling' } : {}
}
