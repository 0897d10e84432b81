import { isHeld, isTerminal, type Job, Problem, type ProblemCode } from '@svc/core'
import { text, whole } from '@svc/core/adapters'
import type { Call, Replies } from '../exchange/route.ts'
import { isVisible } from '../gates/bearer.ts'

/** The field that identifies a host (spec). */
export const fingerprint = text(1, 512)
/** The id of a job in a request body. */
export const jobId = text(1, 64)
/** The attempt of a job that a host refers to, counted per claim; the database counts attempts in 32 bits. */
export const attempt = whole(0, 2_147_483_647)

/** The reply to a body that cannot be read. */
export const INVALID: Replies = {
  400: { name: 'InvalidBody', description: 'Invalid JSON, or an invalid body.' },
}

/** The description of the `Svc-Job-State` header, for the API document. */
export const JOB_STATE_HEADER =
  '`canceling` when the host should stop the job, or the state that it ended in.'

const JOB_ID = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Returns the job id of a path; a text that cannot be an id never reaches a statement.
 * @throws Problem with `code`, which the route uses for a job that does not exist
 */
export function jobIdOf({ id }: { readonly id: string }, code: ProblemCode): string {
  if (!JOB_ID.test(id)) throw new Problem(code)
  return id
}

const MAX_KEY_CHARS = 255

/**
 * Returns the `Idempotency-Key` of a request.
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

/** Returns the header that lists a host's jobs that should stop; no header when the list is empty. */
export const cancelHeaders = (ids: readonly string[]): Record<string, string> =>
  ids.length === 0 ? {} : { 'Svc-Cancel': ids.join(',') }

/** Returns the header that tells a host that its job has ended or should stop; no header otherwise. */
export function jobStateHeaders({ state, cancel }: Pick<Job, 'state' | 'cancel'>): Record<string, string> {
  if (isTerminal(state)) return { 'Svc-Job-State': state }
  return isHeld(state) && cancel !== undefined ? { 'Svc-Job-State': 'canceling' } : {}
}
