/** Subjects of reminders: a license that ends, an invoice that is not paid, an endpoint that was disabled. */
export const REMINDER_KINDS = ['license_expiry', 'billing_dunning', 'webhook_disabled'] as const
export type ReminderKind = (typeof REMINDER_KINDS)[number]

/** A license that may have to be reminded of something, and its earlier reminders. */
export interface ReminderSubject {
  readonly kind: ReminderKind
  readonly licenseId: string
  readonly label: string
  /**
   * The steps belong to it: the end of the license in ISO-8601, the id of the invoice, or the id of the
   * endpoint with the time of its last failure.
   */
  readonly basis: string
  /** When the license ends, the payment failed, or the endpoint failed for the last time. */
  readonly anchor: Date
  /** Steps from before then are not due: the license was not there. */
  readonly since: Date
  /** The contact of the license, else the owners of its tenant. */
  readonly addresses: readonly string[]
  /** Steps that were sent or skipped, in days. */
  readonly done: readonly number[]
}

/** One step of a subject that is due: the message of `step`, in place of the steps it skips. */
export interface DueReminder {
  readonly subject: ReminderSubject
  /** Days before the end of the license, or after the failure. */
  readonly step: number
  readonly dueAt: Date
  /** Earlier steps that no run sent in time. */
  readonly skipped: readonly number[]
}

/** Days of each kind's steps. */
export type ReminderSteps = Readonly<Record<ReminderKind, readonly number[]>>

const DAY_MS = 86_400_000
/** A license that ended, or an endpoint that failed, longer ago is not reminded of it. */
export const ENDED_DAYS = 3

const instantOf = ({ kind, anchor }: ReminderSubject, step: number): number =>
  anchor.getTime() + (kind === 'license_expiry' ? -step : step) * DAY_MS

/**
 * Returns the step of a subject that is due; undefined if none is. Only the latest of several is sent, so
 * that runs that were missed make no flood, and none that was sent or skipped is due again.
 */
export function dueReminder(
  subject: ReminderSubject,
  { [subject.kind]: steps }: ReminderSteps,
  now: Date,
): DueReminder | undefined {
  const passed = steps
    .map((step) => ({ step, at: instantOf(subject, step) }))
    .filter(({ at }) => at <= now.getTime() && at > subject.since.getTime())
    .sort((one, other) => other.at - one.at)
  const [latest, ...earlier] = passed
  const { done } = subject
  if (latest === undefined || done.includes(latest.step)) return undefined
  const skipped = earlier.map(({ step }) => step).filter((step) => !done.includes(step))
  return { subject, step: latest.step, dueAt: new Date(latest.at), skipped }
}
