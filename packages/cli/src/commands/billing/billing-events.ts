import type { PaymentEventView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'
import { wholeNumber } from '../number-option.ts'

const eventsTable = (events: readonly PaymentEventView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'REASON', narrow: 'shrinks', text: ({ error }) => error ?? '' },
      { title: 'TYPE', narrow: 'shrinks', text: ({ type }) => type },
      { title: 'LICENSE', narrow: 'leaves', text: ({ license_id }) => license_id ?? '' },
      { title: 'RECEIVED', text: ({ received_at }) => ago(received_at, page) },
    ],
    events,
    page,
  )

/** Flags of `svc billing events list`. */
export interface ListOptions {
  readonly state?: string
  readonly license?: string
  readonly limit?: string
}

/** Lists events of the payment provider. */
export const listEvents: Handler<ListOptions> = async (run) => {
  const { state, license, limit } = run.options
  const input = given({ state, license, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ events: readonly PaymentEventView[] }>('billing-events.list', input)
  run.print(answer, (page) => eventsTable(answer.events, page))
  if (answer.events.length === 0) run.hint('No such events.')
}

interface Shown {
  readonly event: PaymentEventView
  readonly facts: Readonly<Record<string, string>>
}

/** Shows one event, and its subject. */
export const showEvent: Handler<object> = async (run) => {
  const answer = await run.operate<Shown>('billing-events.show', { event: run.arg(0) })
  const { event, facts: about } = answer
  run.print(answer, (page) =>
    facts(
      [
        ['id', event.id],
        ['type', event.type],
        ['state', event.state],
        ['reason', event.error],
        ['license', event.license_id],
        ['attempts', String(event.attempts)],
        ['made', instant(event.created_at, page)],
        ['received', instant(event.received_at, page)],
        ['next try', event.next_attempt_at === 0 ? undefined : instant(event.next_attempt_at, page)],
        ...Object.entries(about).map(([name, id]) => [name.replace('_id', ''), id] as const),
      ],
      page,
    ),
  )
}

/** Applies an event again, or sets it aside. */
export const settleEvent =
  (verb: 'retry' | 'resolve'): Handler<object> =>
  async (run) => {
    const answer = await run.operate<{ event: PaymentEventView }>(`billing-events.${verb}`, {
      event: run.arg(0),
    })
    run.print(answer, (page) => eventsTable([answer.event], page))
  }
