import type { Answer } from '@svc/core'
import { titleOf } from './cells.ts'
import { type Html, html } from './html.ts'

/** Fields of answers that hold a secret, which is shown once. */
const SECRETS: ReadonlySet<string> = new Set(['secret', 'key', 'token', 'cookie'])

/** Returns the fields of an answer that hold a secret. */
export const secretsOf = (answer: Answer): readonly string[] =>
  Object.keys(answer).filter((field) => SECRETS.has(field) && typeof answer[field] === 'string')

/** A secret that nobody can see again, with a button that copies it. */
export const secretView = (field: string, secret: string): Html =>
  html`<div class="notice secret"><strong>${titleOf(field)}</strong>
<code data-copy>${secret}</code>
<small>Shown once. Keep it now.</small></div>`
