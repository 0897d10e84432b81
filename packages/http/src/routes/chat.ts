import { type ChatMessage, Problem } from '@svc/core'
import {
  CHAT_CATEGORIES,
  CHAT_MODES,
  clientNetworks,
  field,
  listOf,
  oneOf,
  shape,
  text,
  whole,
} from '@svc/core/adapters'
import { optional } from 'superstruct'
import { jsonBody } from '../exchange/body/json-body.ts'
import { json, noContent, UNBOUNDED } from '../exchange/reply.ts'
import { route } from '../exchange/route.ts'
import { EventStream, SSE_HEADERS, SSE_TYPE } from '../exchange/sse.ts'
import { type ChatLimit, chatOrigin } from '../gates/chat-origin.ts'

const MAX_CONTACT_CHARS = 1000
const MAX_ID_CHARS = 128
const MAX_WAIT_SECONDS = 25
const PATH = '/api/chat'

/** Messages, per client address: `CHAT_RATE_LIMIT`. */
const PER_IP: ChatLimit = {
  name: 'chat-per-ip',
  limit: ({ chat }) => chat.perIpPerMinute,
  windowSeconds: 60,
  of: 'address',
}
/** Messages of all visitors together. */
const GLOBAL: ChatLimit = {
  name: 'chat-global',
  limit: ({ chat }) => chat.globalPerMinute,
  windowSeconds: 60,
  of: 'everybody',
}
/** Reads of human replies, per client address. */
const READS_PER_IP: ChatLimit = { name: 'chat-read', limit: 60, windowSeconds: 60, of: 'address' }

const contact = field<string | null>(
  { type: ['string', 'null'], maxLength: MAX_CONTACT_CHARS },
  (value) => value === null || (typeof value === 'string' && value.length <= MAX_CONTACT_CHARS),
  `a string of at most ${MAX_CONTACT_CHARS} characters, or null`,
)

const chatBody = shape({
  conversationId: optional(text(0, MAX_ID_CHARS)),
  sessionId: optional(text(0, 256)),
  message: optional(text(0, 8000)),
  category: optional(oneOf(CHAT_CATEGORIES)),
  contact: optional(contact),
})

const reply = shape({ id: text(1, 64), role: oneOf(['human']), text: text(1, 4000), at: whole(0, 2 ** 40) })
const replies = shape({
  conversationId: text(1, MAX_ID_CHARS),
  mode: oneOf(CHAT_MODES),
  messages: listOf(reply, UNBOUNDED),
})

const replyView = ({ id, role, text: said, at }: ChatMessage) => ({
  id,
  role,
  text: said,
  at: Math.floor(at.getTime() / 1000),
})

/** Returns how long to wait, in seconds. @throws Problem `invalid-input` */
function waitOf(given: string | undefined): number {
  if (given === undefined) return 0
  if (/^\d{1,6}$/.test(given)) return Math.min(Number(given), MAX_WAIT_SECONDS)
  throw new Problem('invalid-input', {
    details: [`wait: expected a whole number from 0 to ${MAX_WAIT_SECONDS}`],
  })
}

/** Returns the id of the requested conversation. @throws Problem `invalid-input` */
function conversationOf(given: string | undefined): string {
  if (given && given.length <= MAX_ID_CHARS) return given
  throw new Problem('invalid-input', {
    details: [`conversationId: expected a string of 1 to ${MAX_ID_CHARS} characters`],
  })
}

/** The public support chat (spec, POST /api/chat; docs/chat.md). */
export const chatRoutes = [
  route({
    name: 'chat.say',
    method: 'POST',
    path: PATH,
    summary: 'Say something in the support chat; the answer is a stream of events.',
    gate: chatOrigin(PER_IP, GLOBAL),
    body: jsonBody(chatBody),
    replies: {
      200: {
        description: 'Events `meta`, any number of `delta`, `done`; comments in between.',
        type: SSE_TYPE,
      },
      400: { description: 'Invalid JSON, an invalid body, or an empty message.' },
    },
    handle: async ({ plane, body }) => {
      const leaving = new AbortController()
      const { conversationId, sessionId, message, category, contact: given } = body
      const incoming = { conversationId, sessionId, message, category, contact: given }
      const events = await plane.chat.converse(incoming, leaving.signal)
      if (events === undefined) return json({ error: 'Empty message' }, {}, 400)
      const content = new EventStream({ events, timers: plane.timers, leaving })
      return { status: 200, headers: SSE_HEADERS, stream: { type: SSE_TYPE, content } }
    },
  }),
  route({
    name: 'chat.read',
    method: 'GET',
    path: PATH,
    summary: 'Read the messages of people in a conversation; waits for something new when asked to.',
    gate: chatOrigin(READS_PER_IP),
    queryShapes: { wait: whole(0, MAX_WAIT_SECONDS) },
    query: {
      conversationId: 'The conversation.',
      sessionId: 'The session it was begun in.',
      after: 'The last message that is known already.',
      wait: `Seconds to wait for a message, ${MAX_WAIT_SECONDS} at most.`,
    },
    replies: {
      200: {
        description: 'Messages of people, oldest first; none for a conversation that is not known.',
        body: replies,
      },
      400: { description: 'No conversation is named, or the wait is no number.' },
    },
    handle: async ({ plane, caller, query }) => {
      const conversationId = conversationOf(query.conversationId)
      const { sessionId, after } = query
      const network = clientNetworks(caller.address).own
      const asked = { conversationId, sessionId, after, waitSeconds: waitOf(query.wait), network }
      const { mode, messages } = await plane.chat.replies(asked, caller.gone)
      return json({ conversationId, mode, messages: messages.map(replyView) })
    },
  }),
  route({
    name: 'chat.preflight',
    method: 'OPTIONS',
    path: PATH,
    summary: 'The request of a browser before a page of another site uses the chat.',
    gate: chatOrigin(),
    replies: { 204: { description: 'The page may.' } },
    handle: () =>
      noContent({
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': '600',
      }),
  }),
]
