import type { EmailMessage, EmailRecipient, EmailRecipientState, MessageState } from './email-message.ts'
import type { RecipientRole } from './message-draft.ts'

/** A new message with its sealed contents. */
export type NewEmailMessage = Pick<
  EmailMessage,
  'id' | 'owner' | 'kind' | 'domainId' | 'keyId' | 'from' | 'tags'
> & {
  readonly recipients: readonly {
    readonly address: string
    readonly role: RecipientRole
    readonly state: 'queued' | 'suppressed'
  }[]
  readonly body: SealedBody
}

/** Contents of a message: encrypted under a key of their own, which is sealed for the row. */
export interface SealedBody {
  readonly key: string
  readonly text: string
}

/** An answer that is given again to the same request. */
export interface RememberedAnswer {
  /** SHA-256 of the request's canonical form. */
  readonly bodyHash: string
  readonly answer: Readonly<Record<string, unknown>>
}

/** Filter and page of a list, newest first. */
export interface EmailMessageFilter {
  /** Undefined: of every owner. */
  readonly owner?: string | undefined
  readonly state?: MessageState | undefined
  /** Only messages with an earlier id. */
  readonly before?: string | undefined
  readonly limit: number
}

/** Changes of an attempt. */
export interface MessageProgress {
  readonly id: string
  readonly state: MessageState
  readonly recipients: readonly Omit<EmailRecipient, 'role'>[]
  /** Whether the outcome is unknown once more. */
  readonly isUnknown: boolean
}

/** Recipients of a domain's messages by state, over a time. */
export type RecipientCounts = Readonly<Record<EmailRecipientState, number>>

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly emailMessages: EmailMessagesStore
  }
}

/** Storage of messages, of promises to clients, and of owners' usage. */
export interface EmailMessagesStore {
  /** Adds a message. */
  add(message: NewEmailMessage, now?: Date): Promise<EmailMessage>
  find(id: string): Promise<EmailMessage | undefined>
  list(filter: EmailMessageFilter): Promise<readonly EmailMessage[]>
  /** The contents of a message; undefined once they were deleted. */
  body(id: string): Promise<SealedBody | undefined>
  /** Marks a message as under way, unless it is over. Returns it as it was before. */
  begin(id: string): Promise<EmailMessage | undefined>
  /** Notes that the bytes of the attempt begin to leave. */
  dataStarted(id: string, now?: Date): Promise<void>
  /** Records the outcome for recipients and for the message. */
  record(progress: MessageProgress, now?: Date): Promise<EmailMessage | undefined>
  /**
   * Cancels a message that is not over: its recipients that were not accepted. Returns undefined if there is
   * no such message.
   */
  cancel(id: string, now?: Date): Promise<EmailMessage | undefined>
  /**
   * Ends messages that no delivery is left for, such as those whose last attempt was cut short: recipients
   * may have got it if bytes had left, and failed otherwise. Returns their number.
   */
  endLost(now?: Date): Promise<number>
  /** Queues a failed message again, for the recipients that did not get it and were not refused. */
  requeue(id: string): Promise<EmailMessage | undefined>
  /** The answer that was given to a request with this key within a day. */
  remembered(owner: string, key: string, now?: Date): Promise<RememberedAnswer | undefined>
  /** Keeps an answer for a day. Returns false if there is one of this key. */
  remember(
    answer: RememberedAnswer & { readonly owner: string; readonly key: string },
    now?: Date,
  ): Promise<boolean>
  /** Counts recipients of a day in UTC. Returns false, and counts nothing, if `limit` would be passed. */
  spend(owner: string, recipients: number, limit: number, now?: Date): Promise<boolean>
  /** Recipients of a domain's messages of the last `days` days by state. */
  counts(domainId: string, days: number, now?: Date): Promise<RecipientCounts>
  /** Messages by state, of all owners. */
  states(): Promise<Readonly<Record<MessageState, number>>>
  /**
   * Deletes contents of messages that were over more than `bodyDays` ago, messages `messageDays` old, answers
   * and counts of former days. Returns the number of messages.
   */
  purge(keep: { readonly bodyDays: number; readonly messageDays: number }, now?: Date): Promise<number>
}
