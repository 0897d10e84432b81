import type { EndpointView } from '@svc/core'
import type { EndpointDeliveryView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import type { Page } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { deliveriesTable, endpointFacts, endpointsTable } from './webhook-view.ts'

/** Flags of the commands on endpoints. */
export interface EndpointOptions {
  readonly license?: string
  readonly to?: string
  readonly event?: readonly string[]
  readonly description?: string
  readonly disabled?: boolean
}

interface One {
  readonly endpoint: EndpointView
}

/** Shows an endpoint with a new secret. */
export const withSecret = (endpoint: EndpointView, secret: string, page: Page): string =>
  `${endpointFacts(endpoint, page)}\nsecret  ${plain(secret)}\n`

export const SHOWN_ONCE = 'The secret is shown this once: the receiver checks signatures with it.'

/** Lists endpoints. */
export const listEndpoints: Handler<EndpointOptions> = async (run) => {
  const input = given({ license: run.options.license, limit: 100 })
  const answer = await run.operate<{ endpoints: readonly EndpointView[] }>('webhooks.list', input, true)
  run.print(answer, (page) => endpointsTable(answer.endpoints, page))
  if (answer.endpoints.length === 0) run.hint('No endpoints yet: svc webhooks endpoints add URL makes one.')
}

/** Shows one endpoint and its deliveries. */
export const showEndpoint: Handler<object> = async (run) => {
  type Shown = One & { readonly deliveries: readonly EndpointDeliveryView[] }
  const answer = await run.operate<Shown>('webhooks.show', { endpoint: run.arg(0), limit: 20 }, true)
  const { endpoint, deliveries } = answer
  run.print(answer, (page) => `${endpointFacts(endpoint, page)}\n${deliveriesTable(deliveries, page)}`)
}

/** Adds an endpoint and shows its secret. */
export const addEndpoint: Handler<EndpointOptions> = async (run) => {
  const { license, event: events, description, disabled } = run.options
  const enabled = disabled === true ? false : undefined
  const input = given({ url: run.arg(0), license, events, description, enabled })
  const answer = await run.operate<One & { secret: string }>('webhooks.add', input, true)
  run.print(answer, (page) => withSecret(answer.endpoint, answer.secret, page))
  run.hint(SHOWN_ONCE)
}

/** Changes an endpoint. */
export const updateEndpoint: Handler<EndpointOptions> = async (run) => {
  const { to: url, event: events, description } = run.options
  const input = given({ endpoint: run.arg(0), url, events, description })
  const answer = await run.operate<One>('webhooks.update', input, true)
  run.print(answer, (page) => endpointFacts(answer.endpoint, page))
}

/** Enables or disables an endpoint. */
export const switchEndpoint =
  (enabled: boolean): Handler<object> =>
  async (run) => {
    const answer = await run.operate<One>('webhooks.update', { endpoint: run.arg(0), enabled }, true)
    run.print(answer, (page) => endpointFacts(answer.endpoint, page))
    if (enabled) run.hint('What was skipped is sent again by svc webhooks replay.')
  }

/** Removes an endpoint. */
export const removeEndpoint: Handler<object> = async (run) => {
  const answer = await run.operate<{ cancelled: number }>('webhooks.remove', { endpoint: run.arg(0) }, true)
  run.print(answer, () => '')
  run.hint(`The endpoint is removed; messages that waited: ${answer.cancelled}.`)
}
