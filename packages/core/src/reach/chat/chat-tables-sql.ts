import { defineEntity, p } from '@mikro-orm/core'
import {
  day,
  fact,
  redacted,
  type TablesOf,
  time,
  valuesOf,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { ChatCategory, ChatMode } from './conversation.ts'
import type { ChatEngine, ChatMessage, ChatRole, ChatSource } from './message.ts'

/** Table `chat_conversations`. */
export const ConversationEntity = defineEntity({
  name: 'Conversation',
  tableName: 'chat_conversations',
  properties: {
    id: word(p.text().primary()),
    sessionId: redacted(p.text().default('')),
    mode: word(p.text().$type<ChatMode>().default('ai')),
    category: word(p.text().$type<ChatCategory>().nullable()),
    contact: redacted(p.text().nullable()),
    createdAt: time(),
    lastMessageAt: time(),
    messages: p.integer().default(0),
    smallTalk: p.integer().default(0),
    waitingSince: time().nullable(),
  },
})

/** Table `chat_messages`. */
export const ChatMessageEntity = defineEntity({
  name: 'ChatMessage',
  tableName: 'chat_messages',
  properties: {
    conversationId: word(p.text().primary()),
    seq: p.integer().primary(),
    id: word(p.text()),
    role: word(p.text().$type<ChatRole>()),
    text: redacted(p.text()),
    engine: word(p.text().$type<ChatEngine>().nullable()),
    sources: fact(p.json().$type<readonly ChatSource[]>().defaultRaw("'[]'")),
    truncated: p.boolean().default(false),
    createdAt: time(),
  },
})

/** Table `chat_model_days`. */
export const ModelDayEntity = defineEntity({
  name: 'ModelDay',
  tableName: 'chat_model_days',
  properties: {
    day: day().primary(),
    calls: p.integer(),
  },
})

/** Its tables. */
export const entities = [ConversationEntity, ChatMessageEntity, ModelDayEntity]

/** Reads a row of `chat_conversations`. */
export const toConversation = valuesOf(ConversationEntity)

const messageOf = valuesOf(ChatMessageEntity, 'conversationId')
/** Reads a row of `chat_messages`. */
export function toMessage(row: object): ChatMessage {
  const { createdAt: at, ...message } = messageOf(row)
  return { ...message, at }
}

interface Tables extends TablesOf<typeof ConversationEntity | typeof ChatMessageEntity> {}

/** Statements over conversations and their messages. */
export const { statement } = statementsOver<Tables>()
