import type { CDPSession } from 'playwright-core'

/** The page whose documents pass the gate. */
export interface PageGateParts {
  /** DevTools of the page. */
  readonly session: CDPSession
  /** The name and password that our own proxy asks for. */
  readonly lane: { readonly username: string; readonly password: string }
  readonly mayGo: (url: string) => boolean
  /** Told of each address that the page was kept from. */
  readonly stopped: (url: string) => void
}

const DOCUMENTS = { urlPattern: '*', resourceType: 'Document' } as const
const FIRST_ERROR = 400
const UNAUTHORIZED = 401
/** The question of our own proxy, which Chromium answers and asks again: newer ones show it here first. */
const PROXY_ASKS = 407
/** Headers about the bytes of a body. */
const OF_THE_BODY: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding'])

/**
 * Has DevTools ask about every document, each hop of a redirect among them. A request of the page itself for
 * another domain is stopped before it leaves: `route` does not see redirects, and the proxy cannot tell a
 * page from an image. Chromium shows a page of its own for an error without a body, and for one that asks
 * after name and password: such an error gets a blank body, and comes without the network's question.
 */
export async function openGate(parts: PageGateParts): Promise<void> {
  const { session, lane } = parts
  const { frameTree } = await session.send('Page.getFrameTree')
  session.on('Fetch.requestPaused', (paused) => {
    const isOfPage = paused.frameId === frameTree.frame.id
    // A page that has gone in the meantime needs no answer.
    answered(parts, paused, isOfPage).catch(() => {})
  })
  const patterns = [
    { ...DOCUMENTS, requestStage: 'Request' as const },
    { ...DOCUMENTS, requestStage: 'Response' as const },
  ]
  // Chromium asks each session that it pauses documents for, and gives up when one of them does not answer.
  // A site that asks for a password gets the answer of a browser without one.
  session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
    const { username, password } = lane
    const ours = { response: 'ProvideCredentials' as const, username, password }
    const authChallengeResponse = source === 'Proxy' ? ours : { response: 'Default' as const }
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => {})
  })
  await session.send('Fetch.enable', { patterns, handleAuthRequests: true })
}

/** A document on its way: without a status its request, with one its answer. */
interface Paused {
  readonly requestId: string
  readonly request: { readonly url: string }
  readonly responseStatusCode?: number
  readonly responseHeaders?: { name: string; value: string }[]
}

async function answered(parts: PageGateParts, paused: Paused, isOfPage: boolean): Promise<void> {
  const { session, mayGo, stopped } = parts
  const { requestId, request, responseStatusCode: status, responseHeaders = [] } = paused
  if (isOfPage && status === undefined && !mayGo(request.url)) {
    stopped(request.url)
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
    return
  }
  if (isOfPage && status !== undefined && status >= FIRST_ERROR && status !== PROXY_ASKS) {
    const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
    if (body === '' || status === UNAUTHORIZED) {
      const kept = responseHeaders.filter(({ name }) => !OF_THE_BODY.has(name.toLowerCase()))
      const bytes = Buffer.from(body || '\n', base64Encoded && body !== '' ? 'base64' : 'utf8')
      const answer = { responseCode: status, responseHeaders: kept, body: bytes.toString('base64') }
      await session.send('Fetch.fulfillRequest', { requestId, ...answer })
      return
    }
  }
  await session.send('Fetch.continueRequest', { requestId })
}
