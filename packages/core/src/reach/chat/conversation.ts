import { cut } from '../../kernel/cut.ts'
import { redact } from '../../kernel/redaction/redactor.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'

/** Modes of a conversation: the service answers, a person has taken over, or nobody answers any more. */
export const CHAT_MODES = ['ai', 'human_active', 'closed'] as const
export type ChatMode = (typeof CHAT_MODES)[number]

/** Subjects that a visitor can choose for a conversation (spec, Chat request). */
export const CHAT_CATEGORIES = ['general', 'sales', 'bug', 'billing', 'feature'] as const
export type ChatCategory = (typeof CHAT_CATEGORIES)[number]

/** A visitor's conversation. Nothing in it holds a known secret. */
export interface Conversation {
  readonly id: string
  /** The key of the visitor's session: see {@link sessionKey}. */
  readonly sessionId: string
  readonly mode: ChatMode
  readonly category: ChatCategory | undefined
  readonly contact: string | undefined
  /** The number of messages, which is also the number of the last one. */
  readonly messages: number
  /** Answers of the model without a document behind them. */
  readonly smallTalk: number
  /** The time of the visitor's first message that is still unanswered. */
  readonly waitingSince: Date | undefined
  readonly createdAt: Date
  /** The time that retention counts from. */
  readonly lastMessageAt: Date
}

const CONVERSATION_ID = /^chat_[0-9a-z]{26}$/

/** Whether a text has the form of a conversation's id; any other text never reaches a statement. */
export const isConversationId = (text: string | undefined): text is string => CONVERSATION_ID.test(text ?? '')

/** Characters of a session id that tell sessions apart (spec, Limits). */
export const MAX_SESSION_CHARS = 128
/** Most code points stored of a contact (spec, Limits). */
export const MAX_CONTACT_CHARS = 200

/**
 * Returns the key that a session is stored and compared by: its first 128 characters, or their digest if the
 * id contains a secret, since some sites use secrets as session ids.
 */
export function sessionKey(sessionId: string | undefined): string {
  const given = (sessionId ?? '').replaceAll('\0', '').toWellFormed()
  const kept = given.slice(0, MAX_SESSION_CHARS).toWellFormed()
  return redact(given) === given ? kept : `sha256:${secretDigest(kept)}`
}

/** Returns a contact as it is stored: redacted, then cut; undefined when nothing is left. */
export function contactText(contact: string | null | undefined): string | undefined {
  const text = cut(redact((contact ?? '').replaceAll('\0', '').toWellFormed().trim()), MAX_CONTACT_CHARS)
  return text === '' ? undefined : text
}
