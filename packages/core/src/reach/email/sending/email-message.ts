import type { RecipientRole } from './message-draft.ts'

/** States of a message. All but the first two are final. */
export const MESSAGE_STATES = ['queued', 'sending', 'sent', 'partial', 'failed', 'cancelled'] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/**
 * States of a recipient. `deferred`: the relay asked to try later · `unknown`: the relay may have the message
 * · `bounced`: the relay refused the recipient · `failed`: it refused the message, or the attempts are over.
 */
export const RECIPIENT_STATES = [
  'queued',
  'accepted',
  'deferred',
  'unknown',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
] as const
export type EmailRecipientState = (typeof RECIPIENT_STATES)[number]

/** States of a recipient that is still to be sent to. */
const OPEN_STATES: ReadonlySet<EmailRecipientState> = new Set(['queued', 'deferred', 'unknown'])
export const isOpen = ({ state }: { readonly state: EmailRecipientState }): boolean => OPEN_STATES.has(state)

/** `api`: a client sent it · `alert`: the service did. */
export const MESSAGE_KINDS = ['api', 'alert'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]

/** A recipient of a message, and how it went. */
export interface EmailRecipient {
  readonly address: string
  readonly role: RecipientRole
  readonly state: EmailRecipientState
  /** The relay's last reply: its code, and its text of at most 300 characters. */
  readonly smtpCode: number | undefined
  readonly smtpText: string | undefined
}

/** A message in the queue, or that was. Its contents are sealed and stand elsewhere. */
export interface EmailMessage {
  readonly id: string
  /** Id of the license that it belongs to; `''` for the platform. */
  readonly owner: string
  readonly kind: MessageKind
  readonly domainId: string
  /** The sending key it came with, if it came with one. */
  readonly keyId: string | undefined
  /** Address of the sender. */
  readonly from: string
  readonly tags: Readonly<Record<string, string>>
  readonly state: MessageState
  readonly recipients: readonly EmailRecipient[]
  /** How often the relay may have got it without a word. */
  readonly unknowns: number
  /** When the bytes of the attempt that is under way began to leave. */
  readonly dataStartedAt: Date | undefined
  readonly createdAt: Date
  readonly settledAt: Date | undefined
}

/** The text of recipients whose attempt a crash cut short. */
export const STOPPED = 'the service stopped while it sent'

/** The state of a message whose recipients have these states, all final. */
export function settledState(recipients: readonly Pick<EmailRecipient, 'state'>[]): MessageState {
  const sent = recipients.filter(({ state }) => state !== 'suppressed')
  const accepted = sent.filter(({ state }) => state === 'accepted').length
  if (accepted === 0) return sent.every(({ state }) => state === 'cancelled') ? 'cancelled' : 'failed'
  return accepted === sent.length ? 'sent' : 'partial'
}
