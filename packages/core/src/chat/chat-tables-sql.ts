import { defineEntity, p } from '@mikro-orm/core'
import { day, fact, redacted, time, word } from '../database/table-sql.ts'

/** Table `chat_conversations`. */
export const ConversationEntity = defineEntity({
  name: 'Conversation',
  tableName: 'chat_conversations',
  properties: {
    id: word(p.text().primary()),
    sessionId: redacted(p.text().default('')),
    mode: word(p.text().default('ai')),
    category: word(p.text().nullable()),
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
    role: word(p.text()),
    text: redacted(p.text()),
    engine: word(p.text().nullable()),
    sources: fact(p.json().defaultRaw("'[]'")),
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
