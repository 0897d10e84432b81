import { optional } from 'superstruct'
import { unixSeconds } from '../../../kernel/clock.ts'
import { flag, listOf, oneOf, shape, text, whole } from '../../../kernel/validation.ts'
import type { Licenses } from '../../../people/licenses/licenses.ts'
import { operationOf } from '../../../platform/operations/operation.ts'
import { type DueReminder, REMINDER_KINDS } from './reminder.ts'
import type { Reminders, ReminderTally } from './reminders.ts'

/** The services that operations on reminders use. */
export interface ReminderUses {
  readonly reminders: Reminders
  readonly licenses: Licenses
}

const operation = operationOf<ReminderUses>()
const count = whole(0, Number.MAX_SAFE_INTEGER)
/** Most due reminders that a dry run lists. */
const MAX_ITEMS = 1000

const itemView = ({ subject: { kind, licenseId }, step, dueAt }: DueReminder) => ({
  kind,
  license_id: licenseId,
  step,
  due_at: unixSeconds(dueAt),
})

/** Returns a run as its caller sees it (docs/email.md). */
export const reminderRunView = ({ planned, noRecipient, items, ...numbers }: ReminderTally) => ({
  ok: true,
  planned,
  sent: numbers.sent,
  deferred: numbers.deferred,
  failed: numbers.failed,
  no_recipient: noRecipient,
  cancelled: numbers.cancelled,
  remaining: numbers.remaining,
  ...(items === undefined ? {} : { items: items.slice(0, MAX_ITEMS).map(itemView) }),
})
/** A run of reminders as its caller sees it. */
export type ReminderRunView = ReturnType<typeof reminderRunView>

/** The fields of a run. */
export const REMINDER_RUN = {
  ok: flag(),
  planned: shape({ license_expiry: count, billing_dunning: count, webhook_disabled: count }),
  sent: count,
  deferred: count,
  failed: count,
  no_recipient: count,
  cancelled: count,
  remaining: count,
  items: optional(
    listOf(
      shape({ kind: oneOf(REMINDER_KINDS), license_id: text(1, 64), step: count, due_at: count }),
      MAX_ITEMS,
    ),
  ),
}

/** Operations on reminders. */
export const reminderOperations = [
  operation({
    name: 'email-alerts.run',
    summary: 'send the due reminders to holders of licenses by mail',
    permission: 'platform.security',
    scope: 'platform',
    changes: true,
    input: { license: optional(text(1, 512)), dry_run: optional(flag()) },
    answer: REMINDER_RUN,
    run: async ({ reminders, licenses }, { license, dry_run: dryRun }, { scope }) => {
      const licenseId = license === undefined ? undefined : await licenses.resolve(scope, license)
      return reminderRunView(await reminders.run({ licenseId, dryRun }))
    },
  }),
]
