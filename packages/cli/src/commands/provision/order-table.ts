import type { OrderView } from '@svc/core'
import type { OrderEventView } from '@svc/core/adapters'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'

/** Orders as people read them. */
export const ordersTable = (orders: readonly OrderView[], page: Page): string =>
  table(
    [
      { title: 'ORDER', text: ({ id }) => id },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'PLAN', text: ({ plan }) => plan },
      { title: 'SERVER', narrow: 'leaves', text: ({ provider, server_id: id = '-' }) => `${provider} ${id}` },
      { title: 'HOSTNAME', narrow: 'shrinks', text: ({ hostname }) => hostname },
      { title: 'SINCE', narrow: 'leaves', text: ({ state_since }) => ago(state_since, page) },
      { title: 'ERROR', narrow: 'shrinks', text: ({ error_code }) => error_code ?? '' },
    ],
    orders,
    page,
  )

const maybe = (seconds: number, page: Page): string | undefined =>
  seconds === 0 ? undefined : instant(seconds, page)

/** Everything about one order. */
export const orderFacts = (order: OrderView, page: Page): string =>
  facts(
    [
      ['order', order.id],
      ['state', order.state],
      ['since', instant(order.state_since, page)],
      ['next step', maybe(order.next_run_at, page)],
      ['license', order.license_id],
      ['plan', `${order.plan}: ${order.server_type} with ${order.image} in ${order.location}`],
      ['hostname', order.hostname],
      ['server', `${order.provider} ${order.server_id ?? '-'} (${order.server_name})`],
      ['address', order.ipv4 ?? order.ipv6],
      ['reserves', order.reserves],
      ['error', order.error_code && `${order.error_code}: ${order.error_detail ?? ''}`],
    ],
    page,
  )

/** The history of an order. */
export const eventsTable = (events: readonly OrderEventView[], page: Page): string =>
  table(
    [
      { title: 'AT', text: ({ at }) => instant(at, page) ?? '' },
      { title: 'STEP', text: ({ step }) => step },
      { title: 'TO', text: ({ to }) => to },
      { title: 'OUTCOME', text: ({ outcome }) => outcome },
      { title: 'DETAIL', narrow: 'shrinks', text: ({ detail }) => detail ?? '' },
    ],
    events,
    page,
  )
