import { OPERATIONS } from '@svc/core'
import { html, type Part } from './html.ts'
import type { Visit } from './visit.ts'

/** Says which operation the form did from which the person comes. */
export function doneView({ query }: Visit): Part {
  const done = OPERATIONS.find(({ name }) => name === query.get('done'))
  return done !== undefined && html`<p class="notice good" role="status">Done: ${done.summary}.</p>`
}
