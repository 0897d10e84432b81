import type { ProblemData } from '@svc/core'
import { Problem } from '@svc/core/client'
import { isProblemCode } from '../terminal/failure.ts'
import type { Reply } from './plane-request.ts'

/** Returns the entries that are texts. */
export const textsOf = (entries: readonly unknown[]): string[] =>
  entries.filter((entry) => typeof entry === 'string')

/**
 * Returns the problem of the server as if it had been met here. Fields that are not of the expected type are
 * left out.
 */
export function problemOf({ status, body = {}, retryAfterSeconds }: Reply): Problem {
  const { code } = body
  if (!isProblemCode(code)) {
    return new Problem('unavailable', {
      detail: `the control plane answered ${status}: its log says more`,
    })
  }
  const { detail, details, candidates, revision } = body
  const data: ProblemData = {
    ...(typeof detail === 'string' ? { detail } : {}),
    ...(Array.isArray(details) ? { details: textsOf(details) } : {}),
    ...(Array.isArray(candidates) ? { candidates: textsOf(candidates) } : {}),
    ...(typeof revision === 'number' ? { revision } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return new Problem(code, data)
}
