import { byId, inState, type RowAction } from '../actions.ts'
import { type Row, table } from '../cells.ts'
import { detailPage, section } from '../detail.ts'
import { html, type Part } from '../html.ts'
import { type ListColumn, listPage, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'
import type { Tab } from '../tabs.ts'
import type { Visit } from '../visit.ts'

const id = byId('id')
/** Actions on an alert. */
export const ALERT_ACTIONS: readonly RowAction[] = [
  { operation: 'alerts.ack', title: 'Acknowledge', atOnce: true, input: inState(['firing'], id, 'status') },
  {
    operation: 'alerts.unack',
    title: 'Unacknowledge',
    atOnce: true,
    input: inState(['acknowledged'], id, 'status'),
  },
  { operation: 'alerts.snooze', title: 'Snooze', input: inState(['firing', 'acknowledged'], id, 'status') },
  { operation: 'alerts.unsnooze', title: 'Wake', atOnce: true, input: inState(['snoozed'], id, 'status') },
  {
    operation: 'alerts.resolve',
    title: 'Resolve',
    atOnce: true,
    input: inState(['firing', 'acknowledged', 'snoozed'], id, 'status'),
  },
]

const TABS: readonly Tab[] = [
  { path: 'alerts', title: 'Alerts' },
  { path: 'alert-webhooks', title: 'Webhooks', needs: 'alerts.webhooks' },
  { path: 'alert-mailboxes', title: 'Mailboxes', needs: 'alerts.mailboxes' },
]

const ofTenant: RowAction['input'] = ({ tenant_id }) =>
  tenant_id === undefined ? {} : { tenant: String(tenant_id) }

/** Columns of alerts, wherever some are listed. */
export const ALERT_COLUMNS: readonly ListColumn[] = [
  thingColumn('Alert', 'alerts', ({ summary }) => summary),
  'severity',
  'host',
  'starts_at',
]

const rowsOf = (visit: Visit, title: string, rows: unknown): Part =>
  Array.isArray(rows) && rows.length > 0 && section(title, table(rows as readonly Row[], visit))

export const alertPages: readonly Page[] = [
  listPage({
    path: 'alerts',
    title: 'Alerts',
    operation: 'alerts.list',
    rows: 'alerts',
    tabs: TABS,
    filters: ['status', 'kind', 'host', 'license'],
    columns: [...ALERT_COLUMNS, 'status', 'last_seen_at'],
    actions: ALERT_ACTIONS,
    empty: { says: 'No alert.' },
  }),
  detailPage({
    path: 'alerts/{id}',
    operation: 'alerts.show',
    thing: 'alert',
    title: (alert) => String(alert.summary),
    first: ['severity', 'status', 'kind', 'host', 'starts_at', 'last_seen_at', 'license_id', 'tenant_id'],
    without: ['summary'],
    actions: ALERT_ACTIONS,
    sections: (visit, _alert, { actions, deliveries }) =>
      html`${rowsOf(visit, 'Done', actions)}${rowsOf(visit, 'Told', deliveries)}`,
  }),
  listPage({
    path: 'alert-webhooks',
    title: 'Alerts',
    operation: 'alerts.webhooks',
    rows: 'webhooks',
    tabs: TABS,
    columns: ['tenant_id', 'origin', 'created_at', 'latest_delivery'],
    actions: [
      { operation: 'alerts.webhook-test', title: 'Test', atOnce: true, input: ofTenant },
      { operation: 'alerts.webhook-remove', title: 'Remove', input: ofTenant },
    ],
    make: { 'alerts.webhook-set': 'Set webhook' },
    empty: { says: 'Alerts are sent to no webhook.', command: 'svc alerts webhook-set URL' },
  }),
  listPage({
    path: 'alert-mailboxes',
    title: 'Alerts',
    operation: 'alerts.mailboxes',
    rows: 'mailboxes',
    tabs: TABS,
    columns: ['tenant_id', 'addresses', 'created_at'],
    actions: [
      { operation: 'alerts.mail-test', title: 'Test', atOnce: true, input: ofTenant },
      { operation: 'alerts.mail-remove', title: 'Remove', input: ofTenant },
    ],
    make: { 'alerts.mail-set': 'Set mailboxes' },
    empty: { says: 'Alerts are sent to no mailbox.', command: 'svc alerts mail-set ADDRESS' },
  }),
]
