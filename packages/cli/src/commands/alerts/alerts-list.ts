import type { AlertView } from '@svc/core'
import { shellWord } from '@svc/core/client'
import { given, type Handler } from '../../program/command-run.ts'
import { idColumn } from '../../terminal/id-column.ts'
import { ago, type Page, stateColour, table } from '../../terminal/render.ts'
import { secondOf } from '../number-option.ts'

/** Flags of `svc alerts list` and `svc fleet alerts`. */
export interface AlertListOptions {
  readonly status?: string
  readonly host?: string
  readonly kind?: string
  readonly since?: string
  readonly limit?: string
  readonly cursor?: string
  readonly license?: string
}

/** Alerts as people read them. */
export const alertsTable = (alerts: readonly AlertView[], page: Page): string =>
  table(
    [
      idColumn(alerts, page),
      { title: 'STATUS', text: ({ status }) => status, colour: ({ status }) => stateColour(status) },
      { title: 'SEVERITY', narrow: 'leaves', text: ({ severity }) => severity },
      { title: 'SINCE', text: ({ starts_at }) => ago(starts_at, page) },
      {
        title: 'SUMMARY',
        narrow: 'shrinks',
        text: (row) => (row.flapping ? `${row.summary} (flapping)` : row.summary),
      },
    ],
    alerts,
    page,
  )

/** Lists alerts. */
export const listAlerts: Handler<AlertListOptions> = async (run) => {
  const { status, host, kind, since, limit, cursor, license } = run.options
  const bound = limit === undefined ? undefined : Number(limit)
  const input = given({
    status,
    host,
    kind,
    since: secondOf('--since', since),
    limit: bound,
    cursor,
    license,
  })
  const answer = await run.operate<{ alerts: readonly AlertView[]; next_cursor?: string }>(
    'alerts.list',
    input,
    true,
  )
  run.print(answer, (page) => alertsTable(answer.alerts, page))
  if (answer.alerts.length === 0) run.hint('No alerts.')
  if (answer.next_cursor !== undefined) run.hint(`There are more: --cursor ${shellWord(answer.next_cursor)}`)
}
