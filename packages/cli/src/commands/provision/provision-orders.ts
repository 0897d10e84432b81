import type { OrderView } from '@svc/core'
import type { OrderEventView, PreviewView } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { facts } from '../../terminal/render.ts'
import { wholeNumber } from '../number-option.ts'
import { eventsTable, orderFacts, ordersTable } from './order-table.ts'

/** Flags of `svc provision order create`. */
export interface CreateOptions {
  readonly plan?: string
  readonly provider?: string
  readonly hostname?: string
  readonly dryRun?: boolean
}

/** Orders a server, or shows its cost. */
export const createOrder: Handler<CreateOptions> = async (run) => {
  const { plan, provider, hostname, dryRun } = run.options
  const key = (await run.io.readSecret('License key: ')).trim()
  if (key === '') throw new Problem('invalid-input', { detail: 'no license key was given' })
  const input = given({ plan, provider, hostname, license_key: key, dry_run: dryRun })
  const answer = await run.operate<{ order: OrderView } | PreviewView>('provision-orders.create', input)
  if ('order' in answer) {
    run.print(answer, (page) => orderFacts(answer.order, page))
    run.hint(`The worker takes it from here: svc provision order show ${answer.order.id}`)
    return
  }
  const { locations, price, max_monthly: most, reserves, left } = answer
  run.print(answer, (page) =>
    facts(
      [
        ['locations', locations.join(', ') || 'none for this price'],
        ['price', `${price} a month`],
        ['at most', most],
        ['reserves', reserves],
        ['ceiling leaves', left ?? 'not set'],
      ],
      page,
    ),
  )
}

/** Flags of `svc provision order list`. */
export interface ListOptions {
  readonly license?: string
  readonly limit?: string
}

/** Lists orders. */
export const listOrders: Handler<ListOptions> = async (run) => {
  const { license, limit } = run.options
  const input = given({ license, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ orders: readonly OrderView[] }>('provision-orders.list', input)
  run.print(answer, (page) => ordersTable(answer.orders, page))
  if (answer.orders.length === 0) run.hint('No orders yet: svc provision order create --plan P makes one.')
}

/** Shows an order and its history. */
export const showOrder: Handler<object> = async (run) => {
  const input = { order: run.arg(0) }
  type Story = { order: OrderView; events: readonly OrderEventView[] }
  const answer = await run.operate<Story>('provision-orders.show', input)
  run.print(answer, (page) => `${orderFacts(answer.order, page)}\n${eventsTable(answer.events, page)}`)
}

type One = { readonly order: OrderView }

/** Takes an order back, or makes its next step due. */
export const changeOrder =
  (verb: 'cancel' | 'retry'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<One>(`provision-orders.${verb}`, { order: run.arg(0) })
    run.print(answer, (page) => ordersTable([answer.order], page))
  }

/** Has the server of an order taken away. */
export const destroyOrder: Handler<{ readonly yes?: boolean }> = async (run) => {
  const order = run.arg(0)
  if (run.options.yes !== true)
    throw new Problem('invalid-input', {
      detail: `all data on the server is lost: add --yes to destroy ${order}`,
    })
  const answer = await run.operate<One>('provision-orders.destroy', { order })
  run.print(answer, (page) => ordersTable([answer.order], page))
}
