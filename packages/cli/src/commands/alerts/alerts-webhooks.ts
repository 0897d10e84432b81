import type { WebhookView } from '@svc/core'
import { given, type Handler } from '../../program/call.ts'
import { EXIT } from '../../program/failure.ts'
import { ago, type Page, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'

/** Flags of the webhook commands. */
export interface WebhookOptions {
  readonly tenant?: string
  readonly rotate?: boolean
}

const webhooksTable = (webhooks: readonly WebhookView[], page: Page): string =>
  table(
    [
      { title: 'TENANT', text: ({ tenant_id }) => tenant_id ?? '(none)' },
      { title: 'ORIGIN', text: ({ origin }) => origin },
      { title: 'LATEST', text: ({ latest_delivery }) => latest_delivery?.state ?? 'nothing yet' },
      {
        title: 'WHEN',
        text: ({ latest_delivery: latest }) => (latest === undefined ? '' : ago(latest.created_at, page)),
      },
      { title: 'ATTEMPTS', text: ({ latest_delivery: latest }) => String(latest?.attempts ?? '') },
      {
        title: 'ANSWER',
        text: ({ latest_delivery: latest }) => [latest?.http_status, latest?.error].filter(Boolean).join(' '),
      },
    ],
    webhooks,
    page,
  )

/** Lists the webhooks to which alerts are sent. */
export const listWebhooks: Handler<object> = async (call) => {
  const answer = await call.operate<{ webhooks: readonly WebhookView[] }>('alerts.webhooks', {})
  call.print(answer, (page) => webhooksTable(answer.webhooks, page))
  if (answer.webhooks.length === 0) call.hint('No webhooks yet: svc alerts webhook-set sets one.')
}

/** Sets the address of a tenant; prints the secret when one was made. */
export const setWebhook: Handler<WebhookOptions> = async (call) => {
  const { tenant, rotate } = call.options
  const input = given({ url: call.arg(0), tenant, rotate })
  const answer = await call.operate<{ webhook: WebhookView; secret?: string }>('alerts.webhook-set', input)
  const { webhook, secret } = answer
  call.print(answer, (page) => {
    const shown = webhooksTable([webhook], page)
    return secret === undefined ? shown : `${shown}\nsecret  ${plain(secret)}\n`
  })
  if (secret !== undefined)
    call.hint('The secret is shown this once: the receiver checks signatures with it.')
}

/** Takes the address of a tenant away. */
export const removeWebhook: Handler<WebhookOptions> = async (call) => {
  const answer = await call.operate('alerts.webhook-remove', given({ tenant: call.options.tenant }))
  call.print(answer, () => '')
  call.hint('The webhook is removed; alerts still go to the log.')
}

/** Sends a test message; fails when the receiver does not take it. */
export const testWebhook: Handler<WebhookOptions> = async (call) => {
  const input = given({ tenant: call.options.tenant })
  const answer = await call.operate<{ delivered: boolean; http_status?: number; error?: string }>(
    'alerts.webhook-test',
    input,
  )
  const { delivered, http_status: status, error } = answer
  const said = plain([status, error].filter(Boolean).join(' '))
  call.print(answer, () => (delivered ? `delivered: ${said}\n` : `not delivered: ${said}\n`))
  return delivered ? EXIT.done : EXIT.failed
}
