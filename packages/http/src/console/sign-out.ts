import type { Page } from './pages.ts'
import { takeForm } from './sent-form.ts'
import { SIGN_IN, SIGN_OUT } from './sign-in.ts'

/** Ends the session. */
export const signOutPage: Page = {
  path: SIGN_OUT,
  show: async ({ links }) => ({ seeOther: links.to('') }),
  send: async (visit, _params, form) => {
    await takeForm(visit, form)
    const setCookie = await visit.plane.sessions.logout(visit.caller.digest)
    return { seeOther: visit.links.to(SIGN_IN), setCookie }
  },
}
