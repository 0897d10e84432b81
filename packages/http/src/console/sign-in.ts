import { Problem } from '@svc/core'
import { MAX_PASSWORD_CHARS, normalEmail } from '@svc/core/adapters'
import type { GateRequest } from '../exchange/route.ts'
import { takeByAddress, takeFrom } from '../gates/limit.ts'
import { requireSameOrigin } from '../gates/same-origin.ts'
import { LOGINS_PER_ACCOUNT, LOGINS_PER_IP } from '../gates/session.ts'
import type { PageRequest } from './console.ts'
import { FIRST } from './first.ts'
import { html, type Part } from './html.ts'
import { Links, ownPath } from './links.ts'
import { refusalOf } from './problem-view.ts'
import { readVisitorsForm, type SentForm } from './sent-form.ts'
import type { Redirect, View } from './visit.ts'

/** Path of the sign-in page. */
export const SIGN_IN = 'sign-in'

/** Path that ends the session. */
export const SIGN_OUT = 'sign-out'

const MAX_EMAIL_CHARS = 254
const MAX_CODE_CHARS = 64

/** Returns the way to the sign-in page, from which the person comes back to the page that they asked for. */
export const signInFor = (path: string, search: string): Redirect => ({
  seeOther: new Links(path).to(SIGN_IN, { next: path === SIGN_OUT ? '' : `${path}${search}` }),
})

/** Shows the form, or signs a person in. */
export async function signIn({ request, path, form: bytes }: PageRequest): Promise<View | Redirect> {
  const form = readVisitorsForm(bytes)
  const next = ownPath(form?.get('next') ?? request.query('next')) ?? ''
  if (form === undefined) {
    const first = (await request.plane.users.hasFirst()) ? undefined : new Links(path).to(FIRST)
    return formView(next, { first })
  }
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

interface Shown {
  readonly status?: number
  /** Why a try was refused. */
  readonly said?: Part
  readonly email?: string
  /** Address of the page of the first administrator, while there is none. */
  readonly first?: string | undefined
}

const formView = (next: string, { status = 200, said, email = '', first }: Shown): View => ({
  title: 'Sign in',
  status,
  body: html`<form class="sign-in" method="post">
<h1>svc</h1>
${said !== undefined && html`<p class="notice bad" role="alert">${said}</p>`}
${first !== undefined && html`<p class="notice">There is no administrator yet: <a href="${first}">make the first account</a>.</p>`}
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}"></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<div class="field"><label for="code">Code <small>of your second factor, if you have one</small></label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="numeric"></div>
<button>Sign in</button>
</form>`,
})
