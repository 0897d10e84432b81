import type { WebhookView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT } from '../../terminal/failure.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { byId, listWithTenants, type NameOfTenant } from '../tenant-names.ts'

/** Flags of the webhook commands. */
export interface WebhookOptions {
  readonly tenant?: string
  readonly rotate?: boolean
}

const webhooksTable = (webhooks: readonly WebhookView[], page: Page, nameOf: NameOfTenant = byId): string =>
  table(
    [
      {
        title: 'TENANT',
        narrow: 'shrinks',
        text: ({ tenant_id }) => (tenant_id === undefined ? '(none)' : nameOf(tenant_id)),
      },
      { title: 'ORIGIN', narrow: 'shrinks', text: ({ origin }) => origin },
      { title: 'LATEST', text: ({ latest_delivery }) => latest_delivery?.state ?? 'nothing yet' },
      {
        title: 'WHEN',
        text: ({ latest_delivery: latest }) => (latest === undefined ? '' : ago(latest.created_at, page)),
      },
      {
        title: 'ATTEMPTS',
        narrow: 'leaves',
        text: ({ latest_delivery: latest }) => String(latest?.attempts ?? ''),
      },
      {
        title: 'ANSWER',
        text: ({ latest_delivery: latest }) => [latest?.http_status, latest?.error].filter(Boolean).join(' '),
      },
    ],
    webhooks,
    page,
  )

/** Lists the webhooks that alerts are sent to. */
export const listWebhooks: Handler<object> = async (run) => {
  type Listed = { readonly webhooks: readonly WebhookView[] }
  const rowsOf = ({ webhooks }: Listed) => webhooks
  const { answer, nameOf } = await listWithTenants(run, 'alerts.webhooks', rowsOf)
  run.print(answer, (page) => webhooksTable(answer.webhooks, page, nameOf))
  if (answer.webhooks.length === 0) run.hint('No webhooks yet: svc alerts webhook-set sets one.')
}

/** Sets the address of a tenant; prints the secret when one was made. */
export const setWebhook: Handler<WebhookOptions> = async (run) => {
  const { tenant, rotate } = run.options
  const input = given({ url: run.arg(0), tenant, rotate })
  const answer = await run.operate<{ webhook: WebhookView; secret?: string }>('alerts.webhook-set', input)
  const { webhook, secret } = answer
  run.print(answer, (page) => {
    const shown = webhooksTable([webhook], page)
    return secret === undefined ? shown : `${shown}\nsecret  ${plain(secret)}\n`
  })
  if (secret !== undefined) run.hint('The secret is shown this once: the receiver checks signatures with it.')
}

/** Takes the address of a tenant away. */
export const removeWebhook: Handler<WebhookOptions> = async (run) => {
  const answer = await run.operate('alerts.webhook-remove', given({ tenant: run.options.tenant }))
  run.print(answer, () => '')
  run.hint('The webhook is removed; alerts still go to the log.')
}

/** Sends a test message; fails when the receiver does not take it. */
export const testWebhook: Handler<WebhookOptions> = async (run) => {
  const input = given({ tenant: run.options.tenant })
  const answer = await run.operate<{ delivered: boolean; http_status?: number; error?: string }>(
    'alerts.webhook-test',
    input,
  )
  const { delivered, http_status: status, error } = answer
  const said = plain([status, error].filter(Boolean).join(' '))
  run.print(answer, () => (delivered ? `delivered: ${said}\n` : `not delivered: ${said}\n`))
  return delivered ? EXIT.done : EXIT.failed
}
