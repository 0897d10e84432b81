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

/**
 * The conversation that a visitor names. One of another session, or without a message for `retentionDays`,
 * counts as absent.
 */
export interface Visit {
  readonly conversationId: string
  readonly sessionId: string
  readonly retentionDays: number
}

/** A further message of a visitor. Undefined fields leave the stored values unchanged. */
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
  /** Whether it answers the question; if not, the visitor keeps waiting for a person. */
  readonly answers: boolean
}

/** Messages of people that a visitor has not seen yet. */
export interface HumanReplies {
  readonly mode: ChatMode
  /** Oldest first. */
  readonly messages: readonly ChatMessage[]
}

/** Numbers of deleted rows. */
export interface PurgedRows {
  readonly conversations: number
  readonly messages: number
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly conversations: ConversationsStore
  }
}

/** Conversations and their messages. Everything is stored redacted. */
export interface ConversationsStore {
  /** Begins a conversation in mode `ai`. */
  begin(conversation: NewConversation, now?: Date): Promise<Conversation>
  /**
   * Adds a visitor's message; undefined when the conversation is closed, absent or not visible to the
   * visitor.
   */
  say(message: VisitorMessage, now?: Date): Promise<Conversation | undefined>
  /** Stores an answer if the mode is still `ai`; returns whether it did. */
  answer(answer: BotAnswer, now?: Date): Promise<boolean>
  /** Stores a person's message and takes the conversation over; undefined when it is closed or absent. */
  reply(conversationId: string, message: NewMessage, now?: Date): Promise<Conversation | undefined>
  /** Changes the mode if it is one of `from`; undefined when it is not, or the conversation is absent. */
  change(conversationId: string, from: readonly ChatMode[], to: ChatMode): Promise<Conversation | undefined>
  /** Returns the current mode. */
  mode(conversationId: string): Promise<ChatMode | undefined>
  find(conversationId: string): Promise<Conversation | undefined>
  /** Returns the last `limit` messages, of those before the message `before` if it is given; oldest first. */
  messages(conversationId: string, limit: number, before?: number): Promise<readonly ChatMessage[]>
  /**
   * Returns the messages of people after the message `after`, or all if there is no such message. Undefined
   * as for `say`, except that closed conversations are read too.
   */
  replies(visit: Visit, after: string | undefined, now?: Date): Promise<HumanReplies | undefined>
  /** Returns conversations, newest first; if `waiting`, the unanswered ones, longest wait first. */
  list(filter: { readonly waiting: boolean; readonly limit: number }): Promise<readonly Conversation[]>
  /** Counts one more answer without documents; false when the conversation has had `max`. */
  takeSmallTalk(conversationId: string, max: number): Promise<boolean>
  /** Counts one more call of the model today (UTC), over all replicas; false when there were `max`. */
  takeModelCall(max: number, now?: Date): Promise<boolean>
  /** Deletes at most `batch` conversations without a message for `retentionDays`, with their messages. */
  purge(retentionDays: number, batch: number, now?: Date): Promise<PurgedRows>
}
