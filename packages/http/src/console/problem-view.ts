import { Problem } from '@svc/core'
import { codeOf, failureReply, Refusal } from '../exchange/errors.ts'
import { html, type Part, startCase } from './html.ts'
import type { View, Visit } from './visit.ts'

/** A refusal as a page tells it. */
export interface Told {
  readonly status: number
  readonly words: Part
  /** One message a field of the input, as `field: what is expected`. */
  readonly details: readonly string[]
}

/** Returns a refusal in words. @throws the error, if it is no refusal but a fault */
export function refusalOf(error: unknown): Told {
  if (!(error instanceof Problem || error instanceof Refusal)) throw error
  const { status, body } = failureReply(error, { operatorErrors: true })
  const { error: sentence, detail } = body as { error: string; detail?: string }
  const { details = [], retryAfterSeconds, candidates } = error instanceof Problem ? error.data : {}
  const later = retryAfterSeconds !== undefined && ` Try again in ${Math.ceil(retryAfterSeconds)} s.`
  const meant = candidates !== undefined && ` It may mean: ${JSON.stringify(candidates)}.`
  return { status, words: [startCase(detail ?? sentence), '.', later, meant], details }
}

/** The page of a refusal. @throws the error, if it is no refusal but a fault */
export function problemView(error: unknown, { links }: Visit): View {
  const { status, words, details } = refusalOf(error)
  const title =
    codeOf(error) === 'not-found' ? 'Not found' : codeOf(error) === 'forbidden' ? 'Not allowed' : 'Refused'
  return {
    title,
    status,
    body: html`<h1>${title}</h1><p class="notice bad" role="alert">${words}</p>
${details.length > 0 && html`<ul>${details.map((each) => html`<li>${each}</li>`)}</ul>`}
<p><a href="${links.to('')}">Overview</a></p>`,
  }
}
