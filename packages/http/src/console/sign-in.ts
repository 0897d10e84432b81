import { Problem } from '@svc/core'
import { MAX_PASSWORD_CHARS, normalEmail } from '@svc/core/adapters'
import { Refusal } from '../exchange/errors.ts'
import type { GateRequest } from '../exchange/route.ts'
import { takeByAddress, takeFrom } from '../gates/limit.ts'
import { requireSameOrigin } from '../gates/same-origin.ts'
import { LOGINS_PER_ACCOUNT, LOGINS_PER_IP } from '../gates/session.ts'
import type { PageRequest } from './console.ts'
import { html, type Part } from './html.ts'
import { Links, ownPath } from './links.ts'
import { refusalOf } from './problem-view.ts'
import { readSent, type SentForm } from './sent-form.ts'
import type { Redirect, View } from './visit.ts'

/** Path of the sign-in page. */
export const SIGN_IN = 'sign-in'

/** Path that ends the session. */
export const SIGN_OUT = 'sign-out'

const MAX_EMAIL_CHARS = 254
const MAX_CODE_CHARS = 64
/** Bytes of the form of somebody who is not signed in. */
const MAX_FORM_BYTES = 8 * 1024

/** Returns the way to the sign-in page, from which the person comes back to the page that they asked for. */
export const signInFor = (path: string, search: string): Redirect => ({
  seeOther: new Links(path).to(SIGN_IN, { next: path === SIGN_OUT ? '' : `${path}${search}` }),
})

/** Shows the form, or signs a person in. */
export async function signIn({ request, path, form: bytes }: PageRequest): Promise<View | Redirect> {
  if (bytes !== undefined && bytes.length > MAX_FORM_BYTES) throw new Refusal('payload-too-large')
  const form = bytes && readSent(bytes)
  const next = ownPath(form?.get('next') ?? request.query('next')) ?? ''
  if (form === undefined) return formView(next)
  try {
    const { setCookie } = await signedIn(request, form)
    return { seeOther: new Links(path).to(next), setCookie }
  } catch (error) {
    const { status, words } = refusalOf(error)
    const said = status === 401 ? 'Email, password or code is wrong.' : words
    return formView(next, { status, said, email: form.get('email') ?? '' })
  }
}

async function signedIn(request: GateRequest, form: SentForm): Promise<{ setCookie: string }> {
  const email = (form.get('email') ?? '').trim()
  const password = form.get('password') ?? ''
  const code = (form.get('code') ?? '').trim()
  requireSameOrigin(request)
  await takeByAddress(request, LOGINS_PER_IP)
  const isRead =
    email !== '' &&
    email.length <= MAX_EMAIL_CHARS &&
    password.length <= MAX_PASSWORD_CHARS &&
    code.length <= MAX_CODE_CHARS
  if (!isRead) throw new Problem('unauthorized')
  const { plane, headers, address } = request
  await takeFrom(request, LOGINS_PER_ACCOUNT, normalEmail(email))
  return plane.sessions.login(email, password, headers.cookie, code, address)
}

interface Tried {
  readonly status: number
  readonly said: Part
  readonly email: string
}

const formView = (next: string, tried?: Tried): View => ({
  title: 'Sign in',
  status: tried?.status ?? 200,
  body: html`<form class="sign-in" method="post">
<h1>svc</h1>
${tried !== undefined && html`<p class="notice bad" role="alert">${tried.said}</p>`}
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${tried?.email ?? ''}"></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="field"><label for="code">Code <small>of your second factor, if you have one</small></label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="numeric"></div>
<button>Sign in</button>
</form>`,
})
