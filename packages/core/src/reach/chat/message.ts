/** Speakers of a conversation. */
export const CHAT_ROLES = ['visitor', 'bot', 'human'] as const
export type ChatRole = (typeof CHAT_ROLES)[number]

const MESSAGE_ID = /^msg_[0-9a-z]{26}$/

/** Whether a text has the form of a message's id. */
export const isMessageId = (text: string | undefined): text is string => MESSAGE_ID.test(text ?? '')

/** Engines of an answer: the language model, the documents alone, or none. */
export const CHAT_ENGINES = ['llm', 'canned', 'none'] as const
export type ChatEngine = (typeof CHAT_ENGINES)[number]

/** A page that an answer is drawn from. */
export interface ChatSource {
  readonly title: string
  /** A path on the site, or an address on one of its hosts. */
  readonly url: string
}

/** One message of a conversation. */
export interface ChatMessage {
  readonly id: string
  /** Its place in the conversation, from 1. */
  readonly seq: number
  readonly role: ChatRole
  readonly text: string
  /** Set for answers of the bot only. */
  readonly engine: ChatEngine | undefined
  readonly sources: readonly ChatSource[]
  /** Whether the model broke off before the end. */
  readonly truncated: boolean
  readonly at: Date
}

/** Events of an answer's stream (spec, Events): one `meta`, any number of `delta`, one `done`. */
export type ChatEvent =
  | {
      readonly type: 'meta'
      readonly conversationId: string
      readonly grounded: boolean
      readonly mode: string
    }
  | { readonly type: 'delta'; readonly text: string }
  | {
      readonly type: 'done'
      readonly sources: readonly ChatSource[]
      readonly engine: ChatEngine
      /** Absent when no answer was stored. */
      readonly messageId?: string
      readonly truncated?: true
    }
