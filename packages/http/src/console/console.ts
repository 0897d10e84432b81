import { brotliCompressSync, constants } from 'node:zlib'
import { Problem } from '@svc/core'
import type { GateRequest, Reply } from '../exchange/route.ts'
import { requireSameOrigin } from '../gates/same-origin.ts'
import { requireSetUp } from '../gates/session.ts'
import { assetNamed } from './assets.ts'
import { FIRST, first } from './first.ts'
import { pageOf } from './layout.ts'
import { Links } from './links.ts'
import { pageAt } from './pages.ts'
import { problemView } from './problem-view.ts'
import { readSent, type SentForm } from './sent-form.ts'
import { SIGN_IN, SIGN_OUT, signIn, signInFor } from './sign-in.ts'
import { type Further, type Redirect, type View, type Visit, visitOf } from './visit.ts'

/** A request for a page, with the fields of the form if it has one. */
export interface PageRequest {
  readonly request: GateRequest
  /** Below the console's root, as the address has it. */
  readonly path: string
  readonly form?: Buffer | undefined
}

const ASSETS = 'assets/'
const HTML_TYPE = 'text/html; charset=utf-8'
/** Seconds that browsers may keep a file whose name changes with its content: a year. */
const FOR_EVER = 31_536_000
const MAX_HEADER_CHARS = 256

/**
 * Things that pages may load and reach. A terminal also has styles with its nonce, and its relay; the page of
 * the API has such styles, and fonts in them.
 */
const policyOf = ({ nonce, connects, hasFonts = false }: Partial<Further>): string =>
  `default-src 'none'; script-src 'self'; ${
    nonce === undefined ? "style-src 'self'" : `style-src 'self'; style-src-elem 'self' 'nonce-${nonce}'`
  }; img-src 'self'; connect-src 'self'${
    connects === undefined ? '' : ` ${connects}`
  }${hasFonts ? '; font-src data:' : ''}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

const SAFETY = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Without a referrer at all, browsers would say `Origin: null` for the console's own forms.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** Answers a request for a page or one of its files. */
export async function answerPage(asked: PageRequest): Promise<Reply> {
  const { path, request, form } = asked
  if (path.startsWith(ASSETS)) return assetReply(path.slice(ASSETS.length), request)
  if (path === SIGN_IN) return reply(await signIn(asked), asked)
  if (path === FIRST) return reply(await first(asked), asked)
  const caller = await request.plane.sessions.authenticate(request.headers.cookie)
  // A form of a session that has ended is lost: its page leads to the sign-in as well.
  if (caller === undefined) return redirect(signInFor(path, request.search))
  const visit = visitOf(path, request, caller)
  const answer = await answerTo(visit, form && readSent(form)).catch((error: unknown) =>
    problemView(error, visit),
  )
  return reply(answer, asked, visit)
}

async function answerTo(visit: Visit, form: SentForm | undefined): Promise<View | Redirect> {
  if (visit.path !== SIGN_OUT) requireSetUp(visit.caller)
  const found = pageAt(visit.path)
  if (form === undefined) return found.page.show(visit, found.params)
  requireSameOrigin(visit.request)
  if (found.page.send === undefined) throw new Problem('not-found')
  return found.page.send(visit, found.params, form)
}

function reply(answer: View | Redirect, { path, request }: PageRequest, visit?: Visit): Reply {
  if ('seeOther' in answer) return redirect(answer)
  const frame = { links: new Links(path), ...(visit && { visit }) }
  const content = Buffer.from(String(pageOf(answer, frame)))
  const isPacked = !answer.hasSecret && takesBrotli(request)
  const headers = {
    ...SAFETY,
    'Content-Security-Policy': policyOf(answer.further ?? {}),
    Vary: 'Accept-Encoding',
    ...(isPacked && { 'Content-Encoding': 'br' }),
  }
  const status = answer.status ?? 200
  return { status, headers, bytes: { type: HTML_TYPE, content: isPacked ? packed(content) : content } }
}

const redirect = ({ seeOther, setCookie }: Redirect): Reply => ({
  status: 303,
  headers: { Location: seeOther, ...(setCookie !== undefined && { 'Set-Cookie': setCookie }) },
})

/** A higher quality takes longer than the smaller page saves. */
const QUALITY = 4
const packed = (content: Buffer): Buffer =>
  brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } })

/** Whether a client takes an answer that is compressed by brotli. */
export const takesBrotli = ({ headers }: Pick<GateRequest, 'headers'>): boolean =>
  /(?:^|,)\s{0,8}br\s{0,8}(?:,|$)/.test(String(headers['accept-encoding'] ?? '').slice(0, MAX_HEADER_CHARS))

async function assetReply(name: string, request: GateRequest): Promise<Reply> {
  const asset = assetNamed(name)
  if (asset === undefined) throw new Problem('not-found')
  const isPacked = takesBrotli(request)
  return {
    status: 200,
    headers: {
      'Cache-Control': `public, max-age=${FOR_EVER}, immutable`,
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...(isPacked && { 'Content-Encoding': 'br' }),
    },
    bytes: { type: asset.type, content: isPacked ? await asset.brotli : asset.content },
  }
}
