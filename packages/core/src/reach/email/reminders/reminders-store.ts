import type { MessageState } from '../sending/email-message.ts'
import type { ReminderKind, ReminderSubject } from './reminder.ts'

/** A step that is over for its subject: sent, or skipped for a later one. */
export interface NewReminder {
  readonly kind: ReminderKind
  readonly licenseId: string
  readonly basis: string
  readonly step: number
}

/** Bounds of a search for subjects. */
export interface SubjectFilter {
  /** Undefined: of every license. */
  readonly licenseId?: string | undefined
  /** Licenses that end within this time, in days. */
  readonly withinDays: number
  /** Licenses that ended, and endpoints that failed, at most so long ago, in days. */
  readonly endedDays: number
}

/** A message of a reminder. */
export interface ReminderMessage {
  readonly id: string
  readonly state: MessageState
  /** Whether the relay asked to try later for somebody. */
  readonly isDeferred: boolean
}

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly reminders: RemindersStore
  }
}

/** Storage of the reminders that licenses got. */
export interface RemindersStore {
  /**
   * Licenses that end soon or have ended, invoices that are not paid, and endpoints that were disabled for
   * their failures, in the order of license, kind and basis. A license whose subscription renews by itself
   * does not end. A subscription's own grace is over when the license is, so that only licenses in good
   * standing are reminded of their end.
   */
  subjects(filter: SubjectFilter, now?: Date): Promise<readonly ReminderSubject[]>
  /** Notes a step. Returns false if it was noted before: one of several callers gets true. */
  add(reminder: NewReminder, now?: Date): Promise<boolean>
  /** Notes the message of a step. */
  bind(reminder: NewReminder, messageId: string): Promise<void>
  /**
   * Whether the reason of a message still holds: the license ends at that instant, the invoice is not paid,
   * the endpoint is disabled. Undefined if it is no message of a reminder.
   */
  isWanted(messageId: string): Promise<boolean | undefined>
  /** Messages that are not over yet; of a license or of all. */
  open(licenseId: string | undefined): Promise<readonly string[]>
  /** How these messages stand. */
  messages(ids: readonly string[]): Promise<readonly ReminderMessage[]>
  /** Deletes reminders older than `days`. Returns the number. */
  purge(days: number, now?: Date): Promise<number>
}
