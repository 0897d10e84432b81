import { Problem } from '@svc/core'
import { FORM_BODY_TYPE } from '../exchange/body/body.ts'
import { rawBody } from '../exchange/body/raw-body.ts'
import { Refusal } from '../exchange/errors.ts'
import { type Gate, type GateRequest, type Route, route } from '../exchange/route.ts'
import { SSE_TYPE } from '../exchange/sse.ts'
import { session } from '../gates/session.ts'

/** Bytes of a form: a payload may come from a file, as with the command line. */
const MAX_FORM_BYTES = 1024 * 1024

/** Admits everybody: a page leads a visitor without a session to the sign-in. */
const visitor: Gate<GateRequest> = { security: [], replies: {}, admit: (request) => request }

const form = rawBody({
  maxBytes: MAX_FORM_BYTES,
  types: [FORM_BODY_TYPE],
  verify: (bytes, { headers }) => {
    const [type] = (headers['content-type'] ?? '').split(';')
    if (type?.trim().toLowerCase() !== FORM_BODY_TYPE) throw new Refusal('invalid-json')
    return bytes
  },
})

/** Pages have at most three names in their path; each is its own route for the metrics. */
const PATHS = [
  '/console',
  '/console/{page}',
  '/console/{page}/{thing}',
  '/console/{page}/{thing}/{part}',
] as const

const pathOf = (params: Readonly<Record<string, string>>): string =>
  ['page', 'thing', 'part']
    .flatMap((name) => params[name] ?? [])
    .map(encodeURIComponent)
    .join('/')

const replies = { 200: { description: 'A page.', type: 'text/html' }, 303: { description: 'Another page.' } }

/**
 * The console's pages (docs/console.md). Its modules are loaded with the first request for one, so that a
 * service nobody looks at pays nothing for them.
 */
export const consoleRoutes: readonly Route[] = [
  startRoute(),
  liveRoute(),
  documentRoute(),
  ...PATHS.flatMap(pageRoutes),
]

/** Leads a browser that asks for the service's own address to the console. */
function startRoute(): Route {
  return route({
    method: 'GET',
    path: '/',
    summary: 'The way to the console.',
    gate: visitor,
    replies,
    handle: ({ headers }) => {
      if (!headers.accept?.includes('text/html')) throw new Problem('not-found')
      return { status: 303, headers: { Location: 'console' } }
    },
  })
}

/** The event stream of an open page: it says when the page has to be read anew. */
function liveRoute(): Route {
  return route({
    method: 'GET',
    path: '/console/live',
    head: false,
    summary: 'Events of a page of the console.',
    gate: visitor,
    replies: { 200: { description: 'An event for each change.', type: SSE_TYPE } },
    handle: async ({ caller: request }) => {
      const { answerLive } = await import('./live.ts')
      return answerLive(request)
    },
  })
}

/** The API document, for the page that shows it and for programs with a token. */
function documentRoute(): Route {
  return route({
    method: 'GET',
    path: '/console/openapi.json',
    summary: 'The API document.',
    gate: session(),
    replies: {
      200: { description: 'The document.', type: 'application/json' },
      304: { description: 'The document that the caller has.' },
    },
    handle: async ({ headers }) => {
      const { answerDocument } = await import('./document.ts')
      return answerDocument(headers)
    },
  })
}

function pageRoutes(path: (typeof PATHS)[number]): readonly Route[] {
  return [
    route({
      method: 'GET',
      path,
      summary: 'A page of the console.',
      isPage: true,
      gate: visitor,
      replies,
      handle: async ({ caller: request, params }) => {
        const { answerPage } = await import('./console.ts')
        return answerPage({ request, path: pathOf(params) })
      },
    }),
    route({
      method: 'POST',
      path,
      summary: 'Send a form of the console.',
      isPage: true,
      gate: visitor,
      body: form,
      replies,
      handle: async ({ caller: request, params, body }) => {
        const { answerPage } = await import('./console.ts')
        return answerPage({ request, path: pathOf(params), form: body })
      },
    }),
  ]
}
