import type { MonitorView } from '@svc/core'
import type { HistoryView, ObservationView } from '@svc/core/adapters'
import { given, type Handler } from '../../program/command-run.ts'
import type { ExitCode } from '../../terminal/failure.ts'
import { facts, instant, type Page, table } from '../../terminal/render.ts'
import { wholeNumber } from '../number-option.ts'
import { monitorFacts, valuesText } from './monitor-view.ts'

interface Ran {
  readonly ran: number
  readonly changed: number
  readonly outcome?: string
  readonly monitor?: MonitorView
}

/** Runs one monitor, or all that are due. */
export const runMonitors: Handler<object> = async (run) => {
  const monitor = run.args[0]
  const answer = await run.operate<Ran>('monitors.run', given({ monitor }))
  const { ran, changed, outcome, monitor: after } = answer
  const counts: [string, string][] = [
    ['ran', String(ran)],
    ['changed', String(changed)],
  ]
  run.print(answer, (page) =>
    after === undefined
      ? facts(counts, page)
      : `${facts([['outcome', outcome]], page)}${monitorFacts(after, page)}`,
  )
}

type Checked = ObservationView & {
  readonly monitor: MonitorView
  readonly as_expected?: boolean
}

/** Asks now and changes nothing; exit code 1 when the answer is not as expected, or there is none. */
export const checkMonitor: Handler<object> = async (run): Promise<ExitCode | undefined> => {
  const checked = await run.operate<Checked>('monitors.check', { monitor: run.arg(0) })
  const { monitor, answer, error, as_expected: asExpected } = checked
  const verdict = error === undefined ? { true: 'yes', false: 'no' }[String(asExpected)] : undefined
  run.print(checked, (page) =>
    facts(
      [
        ['asked for', `${monitor.host} ${monitor.type}`],
        ['answer', answer?.length === 0 ? '(no records)' : answer?.join('\n')],
        ['error', error],
        ['expected', monitor.expected === undefined ? undefined : valuesText(monitor.expected)],
        ['as expected', verdict],
      ],
      page,
    ),
  )
  return error !== undefined || asExpected === false ? 1 : undefined
}

/** Flags of `svc monitors history`. */
export interface HistoryOptions {
  readonly limit?: string
}

const stretches = (history: readonly HistoryView[], page: Page): string =>
  table(
    [
      { title: 'OUTCOME', text: ({ outcome }) => outcome },
      { title: 'FROM', text: ({ first_at }) => instant(first_at, page) ?? '' },
      { title: 'TO', text: ({ last_at }) => instant(last_at, page) ?? '' },
      { title: 'RUNS', text: ({ runs }) => String(runs) },
      { title: 'ANSWER', text: ({ error, answer }) => error ?? valuesText(answer) },
    ],
    history,
    page,
  )

/** Lists the results of a monitor's runs, equal ones together. */
export const monitorHistory: Handler<HistoryOptions> = async (run) => {
  const input = given({ monitor: run.arg(0), limit: wholeNumber('--limit', run.options.limit) })
  const answer = await run.operate<{ history: readonly HistoryView[] }>('monitors.history', input)
  run.print(answer, (page) => stretches(answer.history, page))
  if (answer.history.length === 0) run.hint('It has not run yet.')
}
