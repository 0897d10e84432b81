import type { ReminderRunView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { facts, instant, type Page, table } from '../../terminal/render.ts'

/** Flags of `svc email alerts`. */
export interface ReminderOptions {
  readonly license?: string
  readonly dryRun?: boolean
}

const numbers = ({ planned, ...run }: ReminderRunView, page: Page): string =>
  facts(
    [
      ['licenses that end', String(planned.license_expiry)],
      ['unpaid invoices', String(planned.billing_dunning)],
      ['disabled endpoints', String(planned.webhook_disabled)],
      ['sent', String(run.sent)],
      ['deferred', String(run.deferred)],
      ['failed', String(run.failed)],
      ['cancelled', String(run.cancelled)],
      ['without address', String(run.no_recipient)],
      ['waiting', String(run.remaining)],
    ],
    page,
  )

const itemsTable = (items: NonNullable<ReminderRunView['items']>, page: Page): string =>
  table(
    [
      { title: 'LICENSE', text: ({ license_id }) => license_id },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'DAYS', text: ({ step }) => String(step) },
      { title: 'DUE', text: ({ due_at }) => instant(due_at, page) ?? '' },
    ],
    items,
    page,
  )

/** Reminds the holders of licenses, or lists the due reminders. */
export const runReminders: Handler<ReminderOptions> = async (run) => {
  const { license, dryRun } = run.options
  const answer = await run.operate<ReminderRunView>('email-alerts.run', given({ license, dry_run: dryRun }))
  const { items } = answer
  run.print(answer, (page) => (items === undefined ? numbers(answer, page) : itemsTable(items, page)))
  if (items?.length === 0) run.hint('Nothing is due.')
  if (answer.no_recipient > 0)
    run.hint(
      `${answer.no_recipient} without an address: svc licenses edit LICENSE --contact ADDRESS sets one.`,
    )
}
