import { byId, inState, type RowAction } from '../actions.ts'
import { type Row, table } from '../cells.ts'
import { detailPage, section } from '../detail.ts'
import { listPage, rowsView, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'

const id = byId('id')
const HOOK_ACTIONS: readonly RowAction[] = [
  { operation: 'git.test', title: 'Test', input: id },
  { operation: 'git-hooks.update', title: 'Edit', input: id },
  { operation: 'git-hooks.rotate', title: 'Rotate secret', input: id },
  { operation: 'git-hooks.remove', title: 'Remove', input: id },
]

const endpoint = byId('endpoint')
const ENDPOINT_ACTIONS: readonly RowAction[] = [
  { operation: 'webhooks.test', title: 'Test', atOnce: true, input: endpoint },
  { operation: 'webhooks.replay', title: 'Replay', input: endpoint },
  { operation: 'webhooks.reset-breaker', title: 'Reset breaker', atOnce: true, input: endpoint },
  { operation: 'webhooks.update', title: 'Edit', input: endpoint },
  { operation: 'webhooks.rotate', title: 'Rotate secret', input: endpoint },
  { operation: 'webhooks.remove', title: 'Remove', input: endpoint },
]

const DOMAIN_ACTIONS: readonly RowAction[] = [
  { operation: 'email-domains.verify', title: 'Verify', atOnce: true, input: id },
  { operation: 'email-domains.health', title: 'Health', atOnce: true, input: id },
  { operation: 'email-domains.rotate-dkim', title: 'Rotate DKIM', input: id },
  { operation: 'email-domains.remove', title: 'Remove', input: id },
]

const MESSAGE_ACTIONS: readonly RowAction[] = [
  {
    operation: 'email-queue.retry',
    title: 'Retry',
    atOnce: true,
    input: inState(['failed', 'partial', 'cancelled'], id),
  },
  { operation: 'email-queue.cancel', title: 'Cancel', atOnce: true, input: inState(['queued'], id) },
]

export const deliveryPages: readonly Page[] = [
  listPage({
    path: 'git-hooks',
    title: 'Git hooks',
    operation: 'git-hooks.list',
    rows: 'hooks',
    filters: ['license'],
    columns: [thingColumn('Hook', 'git-hooks'), 'app', 'repo_url', 'branch', 'enabled', 'last_delivery'],
    actions: HOOK_ACTIONS.slice(0, 1),
    make: { 'git-hooks.add': 'Add hook' },
    empty: { says: 'No hook yet.', command: 'svc git hooks add' },
  }),
  detailPage({
    path: 'git-hooks/{id}',
    operation: 'git-hooks.show',
    thing: 'hook',
    title: (hook) => `${hook.app}: ${hook.branch ?? hook.tags ?? 'hook'}`,
    first: ['app', 'repo_url', 'branch', 'tags', 'provider', 'enabled', 'fingerprint', 'license_id', 'id'],
    actions: HOOK_ACTIONS,
    sections: async (visit, hook) => {
      const answer = await visit.run('git.deliveries', { id: hook.id, limit: 30 })
      const columns = ['at', 'event', 'ref', 'outcome', 'ignored', 'sha', 'job_id']
      return section(
        'Deliveries',
        rowsView(
          { operation: 'git.deliveries', rows: 'deliveries', columns, empty: { says: 'No push yet.' } },
          answer,
          visit,
        ),
      )
    },
  }),
  listPage({
    path: 'webhooks',
    title: 'Webhooks',
    operation: 'webhooks.list',
    rows: 'endpoints',
    filters: ['license'],
    columns: [
      thingColumn('Endpoint', 'webhooks', ({ url }) => url),
      'state',
      'pending',
      'last_success_at',
      'last_failure_at',
      'last_error',
    ],
    actions: ENDPOINT_ACTIONS.slice(0, 1),
    make: { 'webhooks.add': 'Add endpoint' },
    empty: { says: 'No endpoint yet.', command: 'svc webhooks endpoints add URL' },
  }),
  detailPage({
    path: 'webhooks/{endpoint}',
    operation: 'webhooks.show',
    thing: 'endpoint',
    title: (row) => String(row.url),
    first: [
      'state',
      'disabled_reason',
      'pending',
      'last_success_at',
      'last_failure_at',
      'last_error',
      'events',
      'license_id',
      'id',
    ],
    without: ['url'],
    actions: ENDPOINT_ACTIONS,
    sections: (visit, _endpoint, { deliveries }) =>
      Array.isArray(deliveries) &&
      deliveries.length > 0 &&
      section('Deliveries', table(deliveries as readonly Row[], visit)),
  }),
  listPage({
    path: 'email-domains',
    title: 'Email domains',
    operation: 'email-domains.list',
    rows: 'domains',
    filters: ['license'],
    columns: [
      thingColumn('Domain', 'email-domains', ({ name }) => name),
      'status',
      'verified_at',
      'checked_at',
      'license_id',
    ],
    make: { 'email-domains.add': 'Add domain' },
    empty: { says: 'No sending domain yet.', command: 'svc email domains add NAME' },
  }),
  detailPage({
    path: 'email-domains/{id}',
    operation: 'email-domains.show',
    thing: 'domain',
    title: (row) => String(row.name),
    first: ['status', 'verified_at', 'checked_at', 'created_at', 'license_id', 'id', 'records'],
    without: ['name'],
    actions: DOMAIN_ACTIONS,
  }),
  listPage({
    path: 'email-keys',
    title: 'Email keys',
    operation: 'email-keys.list',
    rows: 'keys',
    filters: ['license'],
    columns: [
      thingColumn('Key', 'email-keys', ({ name }) => name),
      'prefix',
      'domain_id',
      'last_used_at',
      'expires_at',
    ],
    actions: [{ operation: 'email-keys.revoke', title: 'Revoke', input: id }],
    make: { 'email-keys.create': 'New key' },
    empty: { says: 'No sending key yet.', command: 'svc email keys create NAME' },
  }),
  detailPage({
    path: 'email-keys/{id}',
    operation: 'email-keys.show',
    thing: 'key',
    title: ({ name }) => String(name),
    without: ['name'],
    actions: [{ operation: 'email-keys.revoke', title: 'Revoke', input: id }],
  }),
  listPage({
    path: 'email-queue',
    title: 'Email queue',
    operation: 'email-queue.list',
    rows: 'messages',
    filters: ['state', 'license'],
    columns: [thingColumn('Message', 'email-queue'), 'state', 'kind', 'from', 'created_at', 'settled_at'],
    actions: MESSAGE_ACTIONS,
    make: { 'emails.send': 'Send message' },
    empty: { says: 'Nothing was sent yet.', command: 'svc email send' },
  }),
  detailPage({
    path: 'email-queue/{id}',
    operation: 'email-queue.show',
    thing: 'message',
    title: () => 'Message',
    first: ['state', 'kind', 'from', 'created_at', 'settled_at', 'license_id', 'id'],
    actions: MESSAGE_ACTIONS,
  }),
  listPage({
    path: 'email-suppressions',
    title: 'Suppressed addresses',
    operation: 'email-suppressions.list',
    rows: 'suppressions',
    filters: ['license'],
    columns: ['address', 'reason', 'until', 'created_at', 'license_id'],
    actions: [{ operation: 'email-suppressions.remove', title: 'Remove', input: byId('address', 'address') }],
    empty: { says: 'No address is suppressed.' },
  }),
]
