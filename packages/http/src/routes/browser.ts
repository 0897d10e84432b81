import type { ControlPlane } from '@svc/core'
import {
  type AgentAnswer,
  type AgentStep,
  agentBody,
  BROWSER_ANSWERS,
  readAgentRequest,
  scrapeBody,
  shape,
} from '@svc/core/adapters'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json } from '../exchange/reply.ts'
import { type Replies, route } from '../exchange/route.ts'
import { EventStream, SSE_HEADERS, SSE_TYPE } from '../exchange/sse.ts'
import { type BrowserVisitor, browserToken } from '../gates/browser-token.ts'

const MAX_BODY_BYTES = 65_536
const NO_STORE = { 'Cache-Control': 'no-store' } as const

/** Refusals of both routes. */
const REFUSALS: Replies = {
  400: { description: 'An invalid body.' },
  413: { description: 'The page moved more bytes than it may.' },
  422: { description: 'The page may not be opened; `reason` says why.' },
  429: { description: 'A rate limit, the calls of a day, or more requests than may wait for a page.' },
  502: { description: 'The page could not be reached; `reason` is the name that Chromium has for it.' },
  503: { description: 'No page can be opened here, or the agent has no language model.' },
  504: { description: 'The page took too long; `phase` says when.' },
}

/** The browser worker (docs/browser.md). */
export const browserRoutes = [
  route({
    name: 'browser.scrape.token',
    method: 'POST',
    path: '/api/v1/browser/scrape',
    summary: 'Open a page and return its content.',
    gate: browserToken({ name: 'browser-scrape', limit: 30, windowSeconds: 60 }),
    body: jsonBody(scrapeBody, MAX_BODY_BYTES),
    replies: {
      200: {
        description: 'The page, also if it answered with an error itself: `status` then.',
        body: shape(BROWSER_ANSWERS.scrape),
      },
      ...REFUSALS,
    },
    handle: async ({ plane, caller: { caller, gone }, body }) =>
      json(await plane.browserWorker.scrape(caller, body, gone), NO_STORE),
  }),
  route({
    name: 'browser.agent',
    method: 'POST',
    path: '/api/v1/browser/agent',
    summary: 'Observe a page, take a step on it, or run towards a goal.',
    gate: browserToken({ name: 'browser-agent', limit: 6, windowSeconds: 60 }),
    body: jsonBody(agentBody, MAX_BODY_BYTES),
    reads: { Accept: '`text/event-stream` brings an event for each step, and the answer as the last.' },
    replies: {
      200: { description: 'How it ended: `ok` if the goal was reached.', body: shape(BROWSER_ANSWERS.agent) },
      404: { description: 'No session of this token, or it has ended.' },
      409: { description: 'The session is in use.' },
      ...REFUSALS,
    },
    handle: async ({ plane, caller, body, headers }) => {
      const request = readAgentRequest(body)
      if (headers.accept?.includes('text/event-stream')) return streamed(plane, caller, request)
      return json(await plane.browserWorker.agent(caller.caller, request, caller.gone), NO_STORE)
    },
  }),
]

type AgentRequest = ReturnType<typeof readAgentRequest>
type AgentEvent = { readonly type: 'step' | 'result' | 'error' } & (
  | AgentStep
  | AgentAnswer
  | { readonly error: string }
)

/** Answers with events once the page is there: an earlier refusal is an answer of its own. */
async function streamed(plane: ControlPlane, { caller, gone }: BrowserVisitor, request: AgentRequest) {
  const leaving = new AbortController()
  const signal = AbortSignal.any([leaving.signal, gone])
  const started = Promise.withResolvers<void>()
  const told: AgentEvent[] = []
  let wake = () => {}
  const tell = (event: AgentEvent) => {
    told.push(event)
    wake()
  }
  const watch = {
    started: started.resolve,
    step: (step: AgentStep) => tell({ type: 'step', ...step }),
  }
  const work = plane.browserWorker.agent(caller, request, signal, watch)
  void work.then(
    (answer) => tell({ type: 'result', ...answer }),
    () => tell({ type: 'error', error: 'service unavailable' }),
  )
  await Promise.race([started.promise, work])
  async function* events(): AsyncGenerator<AgentEvent> {
    for (;;) {
      const event = told.shift()
      if (event === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        if (told.length === 0) await promise
        continue
      }
      yield event
      if (event.type !== 'step') return
    }
  }
  const content = new EventStream({ events: events(), timers: plane.timers, leaving })
  return { status: 200, headers: SSE_HEADERS, stream: { type: SSE_TYPE, content } }
}
