import type { Session } from '../database/session.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import type { ChatCategory, ChatMode, Conversation } from './conversation.ts'
import * as sql from './conversations-statements-sql.ts'
import type * as port from './conversations-store.ts'
import type { ChatEngine, ChatMessage, ChatRole, ChatSource } from './message.ts'

export { entities } from './chat-tables-sql.ts'

interface ConversationRow {
  readonly id: string
  readonly session_id: string
  readonly mode: ChatMode
  readonly category: ChatCategory | null
  readonly contact: string | null
  readonly messages: number
  readonly small_talk: number
  readonly waiting_since: string | null
  readonly created_at: string
  readonly last_message_at: string
}

interface MessageRow {
  readonly id: string
  readonly seq: number
  readonly role: ChatRole
  readonly text: string
  readonly engine: ChatEngine | null
  readonly sources: readonly ChatSource[]
  readonly truncated: boolean
  readonly created_at: string
}

type ReplyRow = (MessageRow | { readonly id: null }) & { readonly mode: ChatMode }

/** Conversations in SQL. */
export class SqlConversationsStore implements port.ConversationsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async begin(conversation: port.NewConversation, now?: Date): Promise<Conversation> {
    const { id, sessionId, category, contact, message } = conversation
    const params = [id, sessionId, category, contact, message.id, message.text, now]
    const begun = await this.#conversation(sql.BEGIN, params)
    if (begun === undefined) throw new Error('the conversation statement returned no row')
    return begun
  }

  say(said: port.VisitorMessage, now?: Date): Promise<Conversation | undefined> {
    const { conversationId, sessionId, retentionDays, category, contact, message } = said
    const visit = [conversationId, sessionId, retentionDays]
    return this.#conversation(sql.SAY, [...visit, category, contact, message.id, message.text, now])
  }

  async answer(answer: port.BotAnswer, now?: Date): Promise<boolean> {
    const { conversationId, message, engine, sources, truncated, answers } = answer
    const said = [conversationId, message.id, message.text, engine, JSON.stringify(sources), truncated]
    return (await this.#session.rows(sql.ANSWER, [...said, answers, now])).length > 0
  }

  reply(conversationId: string, message: port.NewMessage, now?: Date): Promise<Conversation | undefined> {
    return this.#conversation(sql.REPLY, [conversationId, message.id, message.text, now])
  }

  change(conversationId: string, from: readonly ChatMode[], to: ChatMode): Promise<Conversation | undefined> {
    return this.#conversation(sql.CHANGE, [conversationId, from, to])
  }

  async mode(conversationId: string): Promise<ChatMode | undefined> {
    const [row] = await this.#session.rows<{ mode: ChatMode }>(sql.MODE, [conversationId])
    return row?.mode
  }

  find(conversationId: string): Promise<Conversation | undefined> {
    return this.#conversation(sql.FIND, [conversationId])
  }

  async messages(conversationId: string, limit: number, before?: number): Promise<readonly ChatMessage[]> {
    const params = [conversationId, limit, before]
    return (await this.#session.rows<MessageRow>(sql.MESSAGES, params)).map(toMessage)
  }

  async replies(
    visit: port.Visit,
    after: string | undefined,
    now?: Date,
  ): Promise<port.HumanReplies | undefined> {
    const { conversationId, sessionId, retentionDays } = visit
    const params = [conversationId, sessionId, retentionDays, after, now]
    const rows = await this.#session.rows<ReplyRow>(sql.REPLIES, params)
    const [first] = rows
    if (first === undefined) return undefined
    return { mode: first.mode, messages: rows.flatMap((row) => (row.id === null ? [] : [toMessage(row)])) }
  }

  async list({ waiting, limit }: { waiting: boolean; limit: number }): Promise<readonly Conversation[]> {
    return (await this.#session.rows<ConversationRow>(waiting ? sql.WAITING : sql.LATEST, [limit])).map(
      toConversation,
    )
  }

  async takeSmallTalk(conversationId: string, max: number): Promise<boolean> {
    return (await this.#session.rows(sql.SMALL_TALK, [conversationId, max])).length > 0
  }

  async takeModelCall(max: number, now?: Date): Promise<boolean> {
    return (await this.#session.rows(sql.MODEL_CALL, [max, now])).length > 0
  }

  async purge(retentionDays: number, batch: number, now?: Date): Promise<port.PurgedRows> {
    const params = [retentionDays, batch, now]
    const [row] = await this.#session.rows<{ conversations: number; messages: number }>(sql.PURGE, params)
    return { conversations: row?.conversations ?? 0, messages: row?.messages ?? 0 }
  }

  async #conversation(
    statement: { readonly name: string; readonly text: string },
    params: readonly unknown[],
  ): Promise<Conversation | undefined> {
    const [row] = await this.#session.rows<ConversationRow>(statement, params)
    return row === undefined ? undefined : toConversation(row)
  }
}

const toConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  sessionId: row.session_id,
  mode: row.mode,
  category: given(row.category),
  contact: given(row.contact),
  messages: row.messages,
  smallTalk: row.small_talk,
  waitingSince: maybeInstant(row.waiting_since),
  createdAt: instant(row.created_at),
  lastMessageAt: instant(row.last_message_at),
})

const toMessage = (row: MessageRow): ChatMessage => ({
  id: row.id,
  seq: row.seq,
  role: row.role,
  text: row.text,
  engine: given(row.engine),
  sources: row.sources,
  truncated: row.truncated,
  at: instant(row.created_at),
})

/** The store of the feature. */
export const stores = (session: Session): { conversations: port.ConversationsStore } => ({
  conversations: new SqlConversationsStore(session),
})
