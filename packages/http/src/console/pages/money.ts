import { byId, inState, type RowAction } from '../actions.ts'
import { type Row, table } from '../cells.ts'
import { detailPage, section } from '../detail.ts'
import { listPage, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'
import type { Tab } from '../tabs.ts'

const event = byId('event')
const EVENT_ACTIONS: readonly RowAction[] = [
  {
    operation: 'billing-events.retry',
    title: 'Retry',
    atOnce: true,
    input: inState(['parked', 'failed'], event),
  },
  { operation: 'billing-events.resolve', title: 'Resolve', input: inState(['parked', 'failed'], event) },
]

const order = byId('order')
const ORDER_ACTIONS: readonly RowAction[] = [
  { operation: 'provision-orders.retry', title: 'Retry', atOnce: true, input: order },
  { operation: 'provision-orders.cancel', title: 'Cancel', input: order },
  { operation: 'provision.step', title: 'Step', atOnce: true, input: order },
  { operation: 'provision-orders.destroy', title: 'Destroy', input: order },
]

const BILLING_TABS: readonly Tab[] = [
  { path: 'billing', title: 'Events' },
  { path: 'tiers', title: 'Tiers' },
]
const PROVISION_TABS: readonly Tab[] = [
  { path: 'provisioning', title: 'Orders' },
  { path: 'catalog', title: 'Catalog' },
  { path: 'credentials', title: 'Credentials' },
]

export const moneyPages: readonly Page[] = [
  listPage({
    path: 'billing',
    title: 'Billing',
    operation: 'billing-events.list',
    rows: 'events',
    tabs: BILLING_TABS,
    filters: ['state', 'license'],
    columns: [thingColumn('Event', 'billing'), 'type', 'state', 'error', 'license_id', 'received_at'],
    actions: EVENT_ACTIONS,
    make: {
      'billing.checkout': 'New checkout',
      'billing.status': 'Status of a license',
      'billing.reconcile': 'Reconcile',
    },
    empty: { says: 'The payment provider has sent nothing yet.' },
  }),
  detailPage({
    path: 'billing/{event}',
    operation: 'billing-events.show',
    thing: 'event',
    title: (row) => String(row.type),
    actions: EVENT_ACTIONS,
    sections: (visit, _event, { facts }) => section('Facts', table([facts as Row], visit)),
  }),
  listPage({
    path: 'tiers',
    title: 'Billing',
    operation: 'billing.tiers',
    rows: 'tiers',
    tabs: BILLING_TABS,
    columns: ['tier', 'plan', 'price_id', 'features'],
    make: { 'billing.sync': 'Sync' },
    empty: { says: 'No tier is set.' },
  }),
  listPage({
    path: 'provisioning',
    title: 'Provisioning',
    operation: 'provision-orders.list',
    rows: 'orders',
    tabs: PROVISION_TABS,
    filters: ['license'],
    columns: [
      thingColumn('Order', 'provisioning'),
      'state',
      'plan',
      'provider',
      'hostname',
      'ipv4',
      'created_at',
      'error_code',
    ],
    actions: ORDER_ACTIONS.slice(0, 2),
    make: {
      'provision-orders.create': 'New order',
      'provision.check': 'Check settings',
      'provision.budget': 'Budget',
      'provision.reconcile': 'Reconcile',
    },
    empty: { says: 'No server was ordered yet.', command: 'svc provision order create PLAN' },
  }),
  detailPage({
    path: 'provisioning/{order}',
    operation: 'provision-orders.show',
    thing: 'order',
    title: (row) => `${row.plan} ${row.hostname ?? ''}`.trim(),
    first: [
      'state',
      'provider',
      'server_type',
      'location',
      'ipv4',
      'ipv6',
      'error_code',
      'error_detail',
      'license_id',
      'id',
    ],
    actions: ORDER_ACTIONS,
    sections: (visit, _order, { events }) => section('Steps', table(events as readonly Row[], visit)),
  }),
  listPage({
    path: 'catalog',
    title: 'Provisioning',
    operation: 'provision-catalog.list',
    rows: 'catalog',
    tabs: PROVISION_TABS,
    columns: ['plan', 'provider', 'server_type', 'locations', 'image', 'max_monthly', 'enabled'],
    actions: [
      {
        operation: 'provision-catalog.remove',
        title: 'Remove',
        input: ({ plan, provider }) => ({ plan: String(plan), provider: String(provider) }),
      },
    ],
    make: { 'provision-catalog.set': 'Set plan' },
    empty: { says: 'No plan yet.', command: 'svc provision catalog set PLAN' },
  }),
  listPage({
    path: 'credentials',
    title: 'Provisioning',
    operation: 'provision-credentials.show',
    rows: 'credentials',
    tabs: PROVISION_TABS,
    columns: ['provider', 'source', 'state', 'fingerprint', 'verified_at', 'rate_reset_at'],
    actions: [
      {
        operation: 'provision-credentials.verify',
        title: 'Verify',
        atOnce: true,
        input: byId('provider', 'provider'),
      },
      { operation: 'provision-credentials.clear', title: 'Clear', input: byId('provider', 'provider') },
    ],
    make: { 'provision-credentials.set': 'Set credential' },
    empty: { says: 'No credential yet.', command: 'svc provision credential set PROVIDER' },
  }),
]
