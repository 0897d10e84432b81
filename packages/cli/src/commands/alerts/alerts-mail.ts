import type { MailboxesView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { instant, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { byId, listWithTenants, type NameOfTenant } from '../tenant-names.ts'

/** Flags of the commands on mail addresses. */
export interface MailOptions {
  readonly tenant?: string
}

const mailboxesTable = (
  mailboxes: readonly MailboxesView[],
  page: Page,
  nameOf: NameOfTenant = byId,
): string =>
  table(
    [
      {
        title: 'TENANT',
        narrow: 'shrinks',
        text: ({ tenant_id }) => (tenant_id === undefined ? '(none)' : nameOf(tenant_id)),
      },
      { title: 'ADDRESSES', narrow: 'shrinks', text: ({ addresses }) => addresses.join(', ') },
      { title: 'SINCE', narrow: 'leaves', text: ({ created_at }) => instant(created_at, page) ?? '' },
    ],
    mailboxes,
    page,
  )

/** Lists the mail addresses that alerts are sent to. */
export const listMailboxes: Handler<object> = async (run) => {
  type Listed = { readonly mailboxes: readonly MailboxesView[] }
  const rowsOf = ({ mailboxes }: Listed) => mailboxes
  const { answer, nameOf } = await listWithTenants(run, 'alerts.mailboxes', rowsOf)
  run.print(answer, (page) => mailboxesTable(answer.mailboxes, page, nameOf))
  if (answer.mailboxes.length === 0) run.hint('No addresses yet: svc alerts mail-set sets some.')
}

/** Sets the mail addresses of a tenant. */
export const setMailboxes: Handler<MailOptions> = async (run) => {
  const input = given({ to: [...run.args], tenant: run.options.tenant })
  const answer = await run.operate<{ mailboxes: MailboxesView }>('alerts.mail-set', input)
  run.print(answer, (page) => mailboxesTable([answer.mailboxes], page))
  run.hint('svc alerts mail-test sends a message there now.')
}

/** Takes the mail addresses of a tenant away. */
export const removeMailboxes: Handler<MailOptions> = async (run) => {
  const answer = await run.operate('alerts.mail-remove', given({ tenant: run.options.tenant }))
  run.print(answer, () => '')
  run.hint('The addresses are removed; alerts still go to the log.')
}

/** Queues a test message. */
export const testMailboxes: Handler<MailOptions> = async (run) => {
  const answer = await run.operate<{ id: string }>('alerts.mail-test', given({ tenant: run.options.tenant }))
  run.print(answer, () => `queued ${plain(answer.id)}\n`)
  run.hint(`svc email queue show ${plain(answer.id)} says whether the relay took it.`)
}
