import { Problem, type RateLimit } from '@svc/core'
import { firstAccount, read } from '@svc/core/adapters'
import type { GateRequest } from '../exchange/route.ts'
import { takeByAddress } from '../gates/limit.ts'
import { requireSameOrigin } from '../gates/same-origin.ts'
import type { PageRequest } from './console.ts'
import { html } from './html.ts'
import { Links } from './links.ts'
import { refusalOf, type Told } from './problem-view.ts'
import { readVisitorsForm, type SentForm } from './sent-form.ts'
import type { Redirect, View } from './visit.ts'

/** Path of the page on which the first administrator makes their account. */
export const FIRST = 'first'

interface Tried extends Told {
  readonly email: string
  readonly code: string
}

/** Tries per client address. */
const TRIES: RateLimit = { name: 'first-code-per-ip', limit: 5, windowSeconds: 60 }

/**
 * Shows the form, or makes the first administrator and signs them in.
 * @throws Problem `not-found` once there is an administrator
 */
export async function first({ request, path, form: bytes }: PageRequest): Promise<View | Redirect> {
  if (await request.plane.users.hasFirst()) throw new Problem('not-found')
  const form = readVisitorsForm(bytes)
  if (form === undefined) return formView()
  try {
    const { setCookie } = await made(request, form)
    return { seeOther: new Links(path).to(''), setCookie }
  } catch (error) {
    const told = refusalOf(error)
    return formView({ ...told, email: form.get('email') ?? '', code: form.get('code') ?? '' })
  }
}

async function made(request: GateRequest, form: SentForm): Promise<{ setCookie: string }> {
  requireSameOrigin(request)
  await takeByAddress(request, TRIES)
  const { code, email, password } = read(firstAccount, {
    code: form.get('code'),
    email: form.get('email')?.trim(),
    password: form.get('password'),
  })
  return request.plane.accounts.setUp(code, email, password)
}

const formView = (tried?: Tried): View => ({
  title: 'First administrator',
  status: tried?.status ?? 200,
  command: 'svc users first-code',
  body: html`<form class="sign-in" method="post">
<h1>First administrator</h1>
${tried !== undefined && html`<div class="notice bad" role="alert">${tried.words}${tried.details.length > 0 && html`<ul>${tried.details.map((each) => html`<li>${each}</li>`)}</ul>`}</div>`}
<div class="field"><label for="code">One-time code <small>printed by <code>svc users first-code</code> on the machine</small></label>
<input id="code" name="code" autocomplete="off" spellcheck="false" required autofocus value="${tried?.code ?? ''}"></div>
<div class="field"><label for="email">Your email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${tried?.email ?? ''}"></div>
<div class="field"><label for="password">A password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required></div>
<button>Make my account</button>
</form>`,
})
