import { byId, inState, type RowAction } from '../actions.ts'
import { type Row, table } from '../cells.ts'
import { detailPage, section } from '../detail.ts'
import { listPage, rowsView, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'

const monitor = byId('monitor')
const MONITOR_ACTIONS: readonly RowAction[] = [
  { operation: 'monitors.check', title: 'Check', atOnce: true, input: monitor },
  { operation: 'monitors.run', title: 'Run', atOnce: true, input: monitor },
  { operation: 'monitors.accept', title: 'Accept', atOnce: true, input: inState(['drifted'], monitor) },
  { operation: 'monitors.update', title: 'Edit', input: monitor },
  {
    operation: 'monitors.pause',
    title: 'Pause',
    atOnce: true,
    input: (row) => (row.paused_at === undefined ? monitor(row) : undefined),
  },
  {
    operation: 'monitors.resume',
    title: 'Resume',
    atOnce: true,
    input: (row) => (row.paused_at === undefined ? undefined : monitor(row)),
  },
  { operation: 'monitors.remove', title: 'Remove', input: monitor },
]

const domain = byId('domain', 'domain')
const TARGET_ACTIONS: readonly RowAction[] = [
  {
    operation: 'surface.scan',
    title: 'Scan',
    input: (row) => (row.verified === true ? domain(row) : undefined),
  },
  {
    operation: 'surface.verify',
    title: 'Verify',
    atOnce: true,
    input: (row) => (row.verified === true ? undefined : domain(row)),
  },
  { operation: 'surface.remove', title: 'Remove', input: domain },
]

export const watchPages: readonly Page[] = [
  listPage({
    path: 'monitors',
    title: 'Monitors',
    operation: 'monitors.list',
    rows: 'monitors',
    filters: ['tenant', 'license'],
    columns: [
      thingColumn('Monitor', 'monitors', ({ name }) => name),
      'state',
      'host',
      'type',
      'confirmed',
      'last_answer_at',
      'error',
    ],
    actions: MONITOR_ACTIONS.slice(1, 3),
    make: { 'monitors.add': 'Add monitor' },
    empty: { says: 'Nothing is watched yet.', command: 'svc monitors add NAME HOST TYPE' },
  }),
  detailPage({
    path: 'monitors/{monitor}',
    operation: 'monitors.show',
    thing: 'monitor',
    title: (row) => String(row.name),
    first: [
      'state',
      'host',
      'type',
      'mode',
      'match',
      'expected',
      'confirmed',
      'pending',
      'error',
      'last_run_at',
      'next_run_at',
    ],
    without: ['name'],
    actions: MONITOR_ACTIONS,
    sections: async (visit, row) => {
      const { history } = await visit.run('monitors.history', { monitor: row.id, limit: 30 })
      return section('History', table(history as readonly Row[], visit))
    },
  }),
  listPage({
    path: 'surface',
    title: 'Attack surface',
    operation: 'surface.list',
    rows: 'targets',
    filters: ['license'],
    columns: [
      thingColumn('Domain', 'surface', undefined, 'domain'),
      'verified',
      'verified_at',
      'checked_at',
      'reason',
      'license_id',
    ],
    actions: TARGET_ACTIONS,
    make: { 'surface.add': 'Add domain' },
    empty: { says: 'No domain yet.', command: 'svc surface add DOMAIN' },
  }),
  detailPage({
    path: 'surface/{domain}',
    operation: 'surface.show',
    thing: 'target',
    title: (row) => String(row.domain),
    first: ['verified', 'verified_at', 'checked_at', 'reason', 'license_id', 'challenge'],
    without: ['domain'],
    actions: TARGET_ACTIONS,
    sections: async (visit, row) => {
      const answer = await visit.run('surface.findings', { domain: row.domain, license: row.license_id })
      const columns = ['severity', 'check', 'host', 'evidence', 'remediation', 'status', 'last_seen_at']
      return section(
        'Findings',
        rowsView(
          { operation: 'surface.findings', rows: 'findings', columns, empty: { says: 'No finding.' } },
          answer,
          visit,
        ),
      )
    },
  }),
  listPage({
    path: 'findings',
    title: 'Findings',
    operation: 'surface.findings',
    rows: 'findings',
    filters: ['status', 'domain', 'license'],
    columns: ['severity', 'check', 'domain', 'host', 'evidence', 'remediation', 'status', 'last_seen_at'],
    empty: { says: 'No finding.' },
  }),
]
