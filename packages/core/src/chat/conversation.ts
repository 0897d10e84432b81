import { redact } from '../redaction/redactor.ts'
import { secretDigest } from '../signing/same-secret.ts'
import { cut } from './visitor-text.ts'

/** Who answers: the service, a person who has taken over, or nobody any more. */
export const CHAT_MODES = ['ai', 'human_active', 'closed'] as const
export type ChatMode = (typeof CHAT_MODES)[number]

/** What a visitor says a conversation is about (spec, Chat request). */
export const CHAT_CATEGORIES = ['general', 'sales', 'bug', 'billing', 'feature'] as const
export type ChatCategory = (typeof CHAT_CATEGORIES)[number]

/** A visitor's conversation. Nothing in it holds a known secret. */
export interface Conversation {
  readonly id: string
  /** What the visitor's own session is called here: see {@link sessionKey}. */
  readonly sessionId: string
  readonly mode: ChatMode
  readonly category: ChatCategory | undefined
  readonly contact: string | undefined
  /** Messages in it, which is also the number of the last one. */
  readonly messages: number
  /** Answers of the model that no document stood behind. */
  readonly smallTalk: number
  /** Since when a message of the visitor is without an answer. */
  readonly waitingSince: Date | undefined
  readonly createdAt: Date
  /** What retention counts from. */
  readonly lastMessageAt: Date
}

const CONVERSATION_ID = /^chat_[0-9a-z]{26}$/

/** Whether a text can name a conversation; what cannot never reaches a statement. */
export const isConversationId = (text: string | undefined): text is string => CONVERSATION_ID.test(text ?? '')

/** Characters of a session id that tell sessions apart (spec, Limits). */
export const MAX_SESSION_CHARS = 128
/** Code points that are stored of a contact (spec, Limits). */
export const MAX_CONTACT_CHARS = 200

/**
 * What a session is stored and compared by: its first 128 characters, or their digest when the whole holds a
 * secret, since sites name sessions by what they have at hand.
 */
export function sessionKey(sessionId: string | undefined): string {
  const given = (sessionId ?? '').replaceAll('\0', '').toWellFormed()
  const kept = given.slice(0, MAX_SESSION_CHARS).toWellFormed()
  return redact(given) === given ? kept : `sha256:${secretDigest(kept)}`
}

/** A contact as it is stored: redacted, then cut; undefined when nothing is left. */
export function contactText(contact: string | null | undefined): string | undefined {
  const text = cut(redact((contact ?? '').replaceAll('\0', '').toWellFormed().trim()), MAX_CONTACT_CHARS)
  return text === '' ? undefined : text
}
