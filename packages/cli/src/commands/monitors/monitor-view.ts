import type { MonitorView } from '@svc/core'
import { idColumn } from '../../terminal/id-column.ts'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'

const MORE_THAN = 3

/** Values on one line, the first few of many; an empty answer is said in words. */
export function valuesText(values: readonly string[] | undefined): string {
  if (values === undefined) return ''
  if (values.length === 0) return '(no records)'
  const rest = values.length - MORE_THAN
  return rest > 0 ? `${values.slice(0, MORE_THAN).join(', ')} and ${rest} more` : values.join(', ')
}

const allText = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 0 ? '(no records)' : values?.join(', ')

/** Monitors as people read them. */
export const monitorsTable = (monitors: readonly MonitorView[], page: Page): string =>
  table(
    [
      { title: 'NAME', narrow: 'shrinks', text: ({ name }) => name },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'HOST', narrow: 'shrinks', text: ({ host }) => host },
      { title: 'TYPE', text: ({ type }) => type },
      { title: 'ANSWER', narrow: 'shrinks', text: ({ error, confirmed }) => error ?? valuesText(confirmed) },
      { title: 'LAST RUN', narrow: 'leaves', text: ({ last_run_at }) => ago(last_run_at, page) },
      {
        title: 'OWNER',
        narrow: 'leaves',
        text: ({ license_id, tenant_id }) => license_id ?? tenant_id ?? 'platform',
      },
      idColumn(monitors, page),
    ],
    monitors,
    page,
  )

const everyText = ({ interval_seconds, confirmations }: MonitorView): string =>
  `${interval_seconds} s, ${confirmations} confirmation${confirmations === 1 ? '' : 's'}`

/** Everything about one monitor. */
export const monitorFacts = (monitor: MonitorView, page: Page): string =>
  facts(
    [
      ['id', monitor.id],
      ['name', monitor.name],
      ['owner', monitor.license_id ?? monitor.tenant_id ?? 'platform'],
      ['state', monitor.state],
      ['asks for', `${monitor.host} ${monitor.type}`],
      ['resolvers', monitor.resolvers.length > 0 ? monitor.resolvers.join(', ') : "the service's"],
      ['expected', monitor.expected === undefined ? 'the first answer' : allText(monitor.expected)],
      ['match', `${monitor.match} (${monitor.mode})`],
      ['answer', allText(monitor.confirmed)],
      ['unconfirmed', allText(monitor.pending)],
      [
        'error',
        monitor.error === undefined ? undefined : `${monitor.error}, ${monitor.error_streak} in a row`,
      ],
      ['drifted', instant(monitor.drifted_at, page)],
      ['unreachable', instant(monitor.unreachable_at, page)],
      ['paused', instant(monitor.paused_at, page)],
      ['last run', instant(monitor.last_run_at, page)],
      ['last answer', instant(monitor.last_answer_at, page)],
      ['next run', instant(monitor.next_run_at, page)],
      ['every', everyText(monitor)],
    ],
    page,
  )
