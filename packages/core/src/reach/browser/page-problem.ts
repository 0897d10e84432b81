import { Problem } from '../../kernel/problem.ts'
import type { PageRefusal } from '../../platform/net/page-guard.ts'
import { PageFailure } from './browser-page.ts'

const RETRY_SECONDS = 5

/** A page that may not be opened. */
export const urlNotAllowed = (reason: PageRefusal, options?: { cause?: unknown }): Problem =>
  new Problem('url-not-allowed', { reason, detail: `the page may not be opened: ${reason}` }, options)

/** Returns the problem that tells a caller of a page's failure; any other error stays as it is. */
export function pageProblem(error: unknown): unknown {
  if (!(error instanceof PageFailure)) return error
  const { fault } = error
  const cause = { cause: error }
  switch (fault.kind) {
    case 'refused':
      return urlNotAllowed(fault.reason, cause)
    case 'navigation':
      return new Problem(
        'navigation-failed',
        { reason: fault.reason, detail: `the page could not be reached: ${fault.reason}` },
        cause,
      )
    case 'timeout':
      return new Problem(
        'page-timeout',
        { phase: fault.phase, detail: `the page took too long: ${fault.phase}` },
        cause,
      )
    case 'too-large':
      return new Problem('page-too-large', {}, cause)
    case 'selector':
      return new Problem('invalid-input', { details: ['wait_for: expected a CSS selector'] }, cause)
    default:
      return new Problem('unavailable', { retryAfterSeconds: RETRY_SECONDS }, cause)
  }
}
