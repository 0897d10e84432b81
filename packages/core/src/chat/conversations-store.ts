import type { ChatCategory, ChatMode, Conversation } from './conversation.ts'
import type { ChatEngine, ChatMessage, ChatSource } from './message.ts'

/** A message to be stored. */
export interface NewMessage {
  readonly id: string
  readonly text: string
}

/** A conversation that begins with a visitor's message. */
export interface NewConversation {
  readonly id: string
  readonly sessionId: string
  readonly category: ChatCategory | undefined
  readonly contact: string | undefined
  readonly message: NewMessage
}

/** Which conversation a visitor speaks of: one of another session, or older than this, is as good as none. */
export interface Visit {
  readonly conversationId: string
  readonly sessionId: string
  readonly retentionDays: number
}

/** A further message of a visitor. What is undefined stays as it was. */
export interface VisitorMessage extends Visit {
  readonly category: ChatCategory | undefined
  readonly contact: string | undefined
  readonly message: NewMessage
}

/** An answer of the service. */
export interface BotAnswer {
  readonly conversationId: string
  readonly message: NewMessage
  readonly engine: ChatEngine
  readonly sources: readonly ChatSource[]
  readonly truncated: boolean
  /** Whether it answers the visitor, who otherwise goes on waiting for a person. */
  readonly answers: boolean
}

/** What a visitor has yet to see of the people who answer. */
export interface HumanReplies {
  readonly mode: ChatMode
  /** Oldest first. */
  readonly messages: readonly ChatMessage[]
}

/** Rows that were removed. */
export interface PurgedRows {
  readonly conversations: number
  readonly messages: number
}

/** Conversations and their messages. Everything is stored redacted. */
export interface ConversationsStore {
  /** Begins a conversation in mode `ai`. */
  begin(conversation: NewConversation, now?: Date): Promise<Conversation>
  /** Adds a visitor's message; undefined when the conversation is not theirs, too old, closed or none. */
  say(message: VisitorMessage, now?: Date): Promise<Conversation | undefined>
  /** Stores an answer if the mode is still `ai`; says whether it did. */
  answer(answer: BotAnswer, now?: Date): Promise<boolean>
  /** Stores a person's message and takes the conversation over; undefined when it is closed or none. */
  reply(conversationId: string, message: NewMessage, now?: Date): Promise<Conversation | undefined>
  /** Changes the mode if it is one of `from`; undefined when it is not, or there is no conversation. */
  change(conversationId: string, from: readonly ChatMode[], to: ChatMode): Promise<Conversation | undefined>
  /** The mode at this moment. */
  mode(conversationId: string): Promise<ChatMode | undefined>
  find(conversationId: string): Promise<Conversation | undefined>
  /** The last so many messages, oldest first. */
  messages(conversationId: string, limit: number): Promise<readonly ChatMessage[]>
  /**
   * Messages of people after the message `after`; all when there is no such message. Undefined as for `say`,
   * but closed ones count.
   */
  replies(visit: Visit, after: string | undefined, now?: Date): Promise<HumanReplies | undefined>
  /** Newest first; those that wait, longest first. */
  list(filter: { readonly waiting: boolean; readonly limit: number }): Promise<readonly Conversation[]>
  /** Counts one more answer without documents behind it, unless the conversation has had `max`. */
  takeSmallTalk(conversationId: string, max: number): Promise<boolean>
  /** Counts one more call of the model today (UTC), unless there were `max`: over all replicas. */
  takeModelCall(max: number, now?: Date): Promise<boolean>
  /** Removes at most `batch` conversations without a message for so many days, with their messages. */
  purge(retentionDays: number, batch: number, now?: Date): Promise<PurgedRows>
}
