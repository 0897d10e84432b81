import type { Session, Statement } from '../../platform/database/session.ts'
import { toConversation, toMessage } from './chat-tables-sql.ts'
import type { ChatMode, Conversation } from './conversation.ts'
import * as sql from './conversations-statements-sql.ts'
import type * as port from './conversations-store.ts'
import type { ChatMessage } from './message.ts'

export { entities } from './chat-tables-sql.ts'

// Without a message, the columns of one are null.
interface ReplyRow {
  readonly id: string | null
  readonly mode: ChatMode
}

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

  async change(id: string, from: readonly ChatMode[], to: ChatMode): Promise<Conversation | undefined> {
    return (await sql.CHANGE.run(this.#session, { id, from, to })).map(toConversation)[0]
  }

  async mode(id: string): Promise<ChatMode | undefined> {
    return (await sql.MODE.run(this.#session, { id }))[0]?.mode
  }

  async find(id: string): Promise<Conversation | undefined> {
    return (await sql.FIND.run(this.#session, { id })).map(toConversation)[0]
  }

  async messages(id: string, limit: number, before?: number): Promise<readonly ChatMessage[]> {
    return (await this.#session.rows<object>(sql.MESSAGES, [id, limit, before])).map(toMessage)
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
    const which = waiting ? sql.WAITING : sql.LATEST
    return (await which.run(this.#session, { limit })).map(toConversation)
  }

  async takeSmallTalk(id: string, max: number): Promise<boolean> {
    return (await sql.SMALL_TALK.run(this.#session, { id, max })).length > 0
  }

  async takeModelCall(max: number, now?: Date): Promise<boolean> {
    return (await this.#session.rows(sql.MODEL_CALL, [max, now])).length > 0
  }

  async purge(retentionDays: number, batch: number, now?: Date): Promise<port.PurgedRows> {
    const params = [retentionDays, batch, now]
    const [row] = await this.#session.rows<{ conversations: number; messages: number }>(sql.PURGE, params)
    return { conversations: row?.conversations ?? 0, messages: row?.messages ?? 0 }
  }

  async #conversation(statement: Statement, params: readonly unknown[]): Promise<Conversation | undefined> {
    return (await this.#session.rows<object>(statement, params)).map(toConversation)[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { conversations: port.ConversationsStore } => ({
  conversations: new SqlConversationsStore(session),
})
