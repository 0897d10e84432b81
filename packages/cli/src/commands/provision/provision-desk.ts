import type { BudgetView, ReconciliationView, ServerView, StepView } from '@svc/core/adapters'
import { Problem } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { facts, type Page, stateColour, table } from '../../terminal/render.ts'
import { plain } from '../../terminal/terminal.ts'
import { wholeNumber } from '../number-option.ts'
import { ordersTable } from './order-table.ts'

interface Checked {
  readonly missing: readonly string[]
  readonly template_faults: readonly string[]
}

const GATES = ['live_opt_in', 'credential', 'catalog', 'template', 'spend_ceiling'] as const

const gatesTable = (missing: readonly string[], page: Page): string =>
  table(
    [
      { title: 'GATE', text: ({ gate }) => gate },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
    ],
    GATES.map((gate) => ({ gate, state: missing.includes(gate) ? 'closed' : 'open' })),
    page,
  )

/** Shows the gates; exit code 1 when one is closed. */
export const checkGates: Handler<object> = async (run): Promise<ExitCode | undefined> => {
  const answer = await run.operate<Checked>('provision.check', {})
  run.print(answer, (page) => gatesTable(answer.missing, page))
  if (answer.missing.length === 0) return EXIT.done
  run.hint(...answer.template_faults.map((fault) => `The template: ${fault}`))
  return EXIT.failed
}

/** Lists the faults of the template; exit code 1 when there are any. */
export const checkTemplate: Handler<object> = async (run): Promise<ExitCode | undefined> => {
  const { template_faults: faults } = await run.operate<Checked>('provision.check', {})
  run.print({ template_faults: faults }, () =>
    faults.length === 0 ? 'The template is good.\n' : `${faults.map(plain).join('\n')}\n`,
  )
  return faults.length === 0 ? EXIT.done : EXIT.failed
}

/** Prints the user data of a made-up order, indented: its lines are the template's, and no command's. */
export const renderTemplate: Handler<object> = async (run) => {
  const answer = await run.operate<{ template: string }>('provision-template.render', {})
  run.print(
    answer,
    () =>
      `${answer.template
        .split('\n')
        .map((line) => `  ${plain(line)}`)
        .join('\n')}\n`,
  )
}

interface Worked {
  readonly ok: boolean
  readonly results?: readonly StepView[]
  readonly missing?: readonly string[]
  readonly remaining?: number
}

/** Flags of `svc provision step`. */
export interface StepOptions {
  readonly order?: string
  readonly limit?: string
}

/** Takes steps; exit code 1 when gates are closed. */
export const takeSteps: Handler<StepOptions> = async (run): Promise<ExitCode | undefined> => {
  const { order, limit } = run.options
  const input = given({ order, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<Worked>('provision.step', input)
  const { results = [], missing } = answer
  run.print(answer, (page) => (missing === undefined ? stepsTable(results, page) : gatesTable(missing, page)))
  if (missing !== undefined) return EXIT.failed
  if (results.length === 0) run.hint('Nothing is due.')
  return EXIT.done
}

const stepsTable = (steps: readonly StepView[], page: Page): string =>
  table(
    [
      { title: 'ORDER', text: ({ order_id }) => order_id },
      { title: 'STEP', text: ({ step }) => step },
      { title: 'FROM', text: ({ previous_state }) => previous_state },
      { title: 'TO', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'OUTCOME', text: ({ outcome, error_code: code }) => (code ? `${outcome}: ${code}` : outcome) },
    ],
    steps,
    page,
  )

/** Shows the ceiling and the reserved amount. */
export const showBudget: Handler<object> = async (run) => {
  const answer = await run.operate<BudgetView>('provision.budget', {})
  run.print(answer, (page) =>
    facts(
      [
        ['ceiling', answer.ceiling ?? 'not set'],
        ...answer.reserved.map(({ amount, orders }): [string, string] => [
          'reserved',
          `${amount}, ${orders} orders`,
        ]),
        ['left', answer.left],
      ],
      page,
    ),
  )
}

/** Flags of `svc provision reconcile`. */
export interface ReconcileOptions {
  readonly provider?: string
  readonly destroy?: string
  readonly yes?: boolean
}

/** Compares servers with orders; exit code 1 when they differ. Deletes one server if told to. */
export const reconcile: Handler<ReconcileOptions> = async (run): Promise<ExitCode | undefined> => {
  const { provider, destroy: server, yes } = run.options
  if (server !== undefined) {
    if (yes !== true)
      throw new Problem('invalid-input', {
        detail: `the server is lost for good: add --yes to delete ${server}`,
      })
    const input = given({ provider, server })
    const answer = await run.operate<{ server: ServerView }>('provision.remove-server', input)
    run.print(answer, (page) => serversTable([answer.server], page))
    return EXIT.done
  }
  const answer = await run.operate<ReconciliationView>('provision.reconcile', given({ provider }))
  run.print(answer, (page) => reconciliationText(answer, page))
  const { orphans, missing, over_price: dear } = answer
  return orphans.length + missing.length + dear.length === 0 ? EXIT.done : EXIT.failed
}

const serversTable = (servers: readonly ServerView[], page: Page): string =>
  table(
    [
      { title: 'SERVER', text: ({ id }) => id },
      { title: 'NAME', narrow: 'shrinks', text: ({ name }) => name },
      { title: 'ORDER', text: ({ order_id }) => order_id ?? '' },
      { title: 'ADDRESS', text: ({ ipv4 }) => ipv4 ?? '' },
    ],
    servers,
    page,
  )

function reconciliationText({ orphans, missing, over_price: dear }: ReconciliationView, page: Page): string {
  const parts = [
    ...(orphans.length > 0 ? [`Servers that no order knows:\n${serversTable(orphans, page)}`] : []),
    ...(missing.length > 0 ? [`Orders without their server:\n${ordersTable(missing, page)}`] : []),
    ...(dear.length > 0
      ? [
          `Servers that cost more than is reserved:\n${dear
            .map(({ order_id: id, price, reserves = '' }) => `${id}: ${price} instead of ${reserves}\n`)
            .join('')}`,
        ]
      : []),
  ]
  return parts.length === 0 ? 'The provider and the orders agree.\n' : parts.join('\n')
}
