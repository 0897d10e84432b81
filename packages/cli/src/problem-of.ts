import { Problem, type ProblemData } from '@svc/core'
import type { Reply } from './exchange.ts'
import { isProblemCode } from './failure.ts'

/** The problem that the server met, as if it had been met here. */
export function problemOf({ status, body = {}, retryAfterSeconds }: Reply): Problem {
  const { code } = body
  if (!isProblemCode(code)) {
    return new Problem('unavailable', {
      detail: `the control plane answered ${status}: its log says more`,
    })
  }
  const { detail, details, candidates } = body as ProblemData
  const data: ProblemData = {
    ...(detail === undefined ? {} : { detail }),
    ...(details === undefined ? {} : { details }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return new Problem(code, data)
}
