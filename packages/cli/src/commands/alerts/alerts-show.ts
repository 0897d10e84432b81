import type { AlertStoryView } from '@svc/core/adapters'
import type { Handler } from '../../program/command-run.ts'
import { ago, facts, instant, type Page, table } from '../../terminal/render.ts'

const alertFacts = ({ alert }: AlertStoryView, page: Page): string =>
  facts(
    [
      ['id', alert.id],
      ['status', alert.status],
      ['severity', alert.severity],
      ['kind', alert.kind],
      ['summary', alert.summary],
      ['dedup key', alert.dedup_key],
      ['host', alert.host === undefined ? undefined : `${alert.host.hostname} (${alert.host.id})`],
      ['license', alert.license_id],
      ['tenant', alert.tenant_id],
      ['opened', instant(alert.starts_at, page)],
      ['times opened', String(alert.count)],
      ['last seen', instant(alert.last_seen_at, page)],
      ['announced', instant(alert.notified_at, page)],
      ['acknowledged by', alert.acknowledged_by],
      ['snoozed until', instant(alert.snoozed_until, page)],
      ['resolved', instant(alert.resolved_at, page)],
      ['details', JSON.stringify(alert.details)],
    ],
    page,
  )

const deliveriesTable = ({ deliveries }: AlertStoryView, page: Page): string =>
  table(
    [
      { title: 'ANNOUNCED', text: ({ transition }) => transition },
      { title: 'CHANNEL', text: ({ channel }) => channel },
      { title: 'DELIVERY', text: ({ state }) => state },
      { title: 'ATTEMPTS', text: ({ attempts }) => String(attempts) },
      { title: 'WHEN', text: (row) => (row.settled_at === undefined ? '' : ago(row.settled_at, page)) },
      { title: 'ANSWER', text: (row) => [row.http_status, row.error].filter(Boolean).join(' ') },
    ],
    deliveries,
    page,
  )

const actionsTable = ({ actions }: AlertStoryView, page: Page): string =>
  table(
    [
      { title: 'ACTION', text: ({ action }) => action },
      { title: 'BY', text: ({ actor }) => actor },
      { title: 'WHEN', text: ({ at }) => ago(at, page) },
      { title: 'NOTE', text: ({ note }) => note ?? '' },
    ],
    actions,
    page,
  )

/** Shows one alert with its history. */
export const showAlert: Handler<object> = async (run) => {
  const story = await run.operate<AlertStoryView>('alerts.show', { id: run.arg(0) })
  run.print(story, (page) =>
    [
      alertFacts(story, page),
      story.deliveries.length === 0 ? '' : `\n${deliveriesTable(story, page)}`,
      story.actions.length === 0 ? '' : `\n${actionsTable(story, page)}`,
    ].join(''),
  )
}
