import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import {
  anyText,
  finite,
  flag,
  listOf,
  matching,
  namedShape,
  oneOf,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { cannedAnswer } from './answer/canned-answer.ts'
import type { Chat } from './chat.ts'
import { CHAT_CATEGORIES, CHAT_MODES, type Conversation } from './conversation.ts'
import { CHAT_ENGINES, CHAT_ROLES, type ChatMessage } from './message.ts'

/** The services that operations on the chat use. */
export interface ChatUses {
  readonly chat: Chat
}

const operation = operationOf<ChatUses>()

const conversation = text(1, 64)
const MAX_SHOWN = 1000

/** Returns a conversation as operators see it; instants in unix seconds. */
const conversationView = (shown: Conversation) => ({
  id: shown.id,
  mode: shown.mode,
  messages: shown.messages,
  ...present('category', shown.category),
  ...present('contact', shown.contact),
  ...presentSeconds('waiting_since', shown.waitingSince),
  created_at: unixSeconds(shown.createdAt),
  last_message_at: unixSeconds(shown.lastMessageAt),
})
/** A conversation as operators see it. */
export type ConversationView = ReturnType<typeof conversationView>

/** Returns a message of a conversation as operators see it. */
const messageView = ({ id, role, text: said, engine, sources, truncated, at }: ChatMessage) => ({
  id,
  role,
  text: said,
  at: unixSeconds(at),
  ...present('engine', engine),
  ...(sources.length === 0 ? {} : { sources }),
  ...(truncated ? { truncated } : {}),
})
/** A message of a conversation as operators see it. */
export type MessageView = ReturnType<typeof messageView>

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 8192)
const count = whole(0, Number.MAX_SAFE_INTEGER)
const described = namedShape('Conversation', {
  id: word,
  mode: oneOf(CHAT_MODES),
  messages: count,
  category: optional(oneOf(CHAT_CATEGORIES)),
  contact: optional(word),
  waiting_since: optional(count),
  created_at: count,
  last_message_at: count,
})
const message = namedShape('ChatMessage', {
  id: word,
  role: oneOf(CHAT_ROLES),
  text: anyText(),
  at: count,
  engine: optional(oneOf(CHAT_ENGINES)),
  sources: optional(listOf(shape({ title: word, url: word }), ANY)),
  truncated: optional(flag()),
})
const hit = shape({ score: finite(), page: word, heading: word, url: word, excerpt: anyText() })

const CHANGES = [
  { verb: 'take', summary: 'take a conversation over: the service falls silent in it' },
  { verb: 'release', summary: 'give a conversation back to the service' },
  { verb: 'close', summary: "end a conversation; the visitor's next message begins another" },
] as const

/** Operations of the support chat. */
export const chatOperations = [
  operation({
    name: 'chat.list',
    summary: 'list conversations, newest first; those that wait, longest first',
    permission: 'platform.support',
    scope: 'platform',
    changes: false,
    answer: { conversations: listOf(described, ANY) },
    input: { waiting: defaulted(flag(), false), limit: defaulted(whole(1, MAX_SHOWN), 50) },
    run: async ({ chat }, { waiting, limit }) => ({
      conversations: (await chat.list(waiting, limit)).map(conversationView),
    }),
  }),
  operation({
    name: 'chat.show',
    summary: 'show a conversation with its last messages',
    permission: 'platform.support',
    scope: 'platform',
    changes: false,
    answer: { conversation: described, messages: listOf(message, ANY), next_cursor: optional(word) },
    input: {
      conversation,
      limit: defaulted(whole(1, MAX_SHOWN), 100),
      cursor: optional(matching(/^[0-9]{1,9}$/, 'the next_cursor of an earlier answer')),
    },
    run: async ({ chat }, input) => {
      const before = input.cursor === undefined ? undefined : Number(input.cursor)
      const shown = await chat.show(input.conversation, input.limit, before)
      return {
        conversation: conversationView(shown.conversation),
        messages: shown.messages.map(messageView),
        ...(shown.next === undefined ? {} : { next_cursor: String(shown.next) }),
      }
    },
  }),
  ...CHANGES.map(({ verb, summary }) =>
    operation({
      name: `chat.${verb}`,
      summary,
      permission: 'platform.support',
      scope: 'platform',
      changes: true,
      answer: { conversation: described },
      input: { conversation },
      run: async ({ chat }, input) => ({
        conversation: conversationView(await chat[verb](input.conversation)),
      }),
    }),
  ),
  operation({
    name: 'chat.reply',
    summary: 'write to a visitor, taking the conversation over',
    permission: 'platform.support',
    scope: 'platform',
    changes: true,
    answer: { conversation: described, message: word },
    input: { conversation, text: text(1, 8000) },
    run: async ({ chat }, input) => {
      const replied = await chat.reply(input.conversation, input.text)
      return { conversation: conversationView(replied.conversation), message: replied.message }
    },
  }),
  operation({
    name: 'chat.ask',
    summary: "show the documents' passages on a question, and the answer without a model",
    permission: 'platform.support',
    scope: 'platform',
    changes: false,
    input: { question: text(1, 8000) },
    answer: {
      documents: count,
      grounded: flag(),
      coverage: finite(),
      terms: listOf(word, ANY),
      hits: listOf(hit, ANY),
      answer: anyText(),
    },
    run: async ({ chat }, { question }) => {
      const found = await chat.retrieve(question)
      return {
        documents: await chat.documents(),
        grounded: found.grounded,
        coverage: Math.round(found.coverage * 100) / 100,
        terms: found.terms,
        hits: found.hits.map(({ score, chunk: { page, heading, url, text: excerpt } }) => ({
          score: Math.round(score * 10) / 10,
          page,
          heading,
          url,
          excerpt,
        })),
        answer: cannedAnswer(found).join(''),
      }
    },
  }),
]
