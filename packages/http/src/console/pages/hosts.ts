import { byId, type RowAction } from '../actions.ts'
import { facts, type Row, shown } from '../cells.ts'
import { commandOf } from '../commands.ts'
import { detailPage, section } from '../detail.ts'
import { doneView } from '../done-view.ts'
import { html } from '../html.ts'
import { type Listing, listPage, makeLinks, rowsView, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'
import { listsOf } from '../shown.ts'
import { type Tab, tabsView } from '../tabs.ts'
import { usageView } from '../usage-view.ts'
import { IMAGE_COLUMNS, IMAGES_EMPTY } from './images.ts'
import { JOB_COLUMNS } from './jobs.ts'
import { terminalPage } from './terminal.ts'

const named = byId('host')
/** Jobs on the page of a host. */
const JOBS = 10

const ACTIONS: readonly RowAction[] = [
  {
    operation: 'fleet.drain',
    title: 'Drain',
    atOnce: true,
    input: (server) => (server.drained === true ? undefined : named(server)),
  },
  {
    operation: 'fleet.undrain',
    title: 'Undrain',
    atOnce: true,
    input: (server) => (server.drained === true ? named(server) : undefined),
  },
  {
    operation: 'fleet.label',
    title: 'Label',
    input: (server) => ({ ...named(server), label: String(server.label ?? '') }),
  },
  { operation: 'fleet.reset-key', title: 'Reset key', input: named },
  { operation: 'fleet.forget', title: 'Forget', input: named },
]

const TABS: readonly Tab[] = [
  { path: 'hosts/{host}', title: 'Host' },
  { path: 'hosts/{host}/charts', title: 'Charts', needs: 'fleet.usage' },
  { path: 'hosts/{host}/images', title: 'Images', needs: 'images.list' },
  { path: 'hosts/{host}/security', title: 'Security', needs: 'security.show' },
  { path: 'hosts/{host}/sessions', title: 'Sessions', needs: 'ssh.sessions' },
  { path: 'hosts/{host}/terminal', title: 'Terminal', needs: 'ssh.open' },
]

/** Columns of sessions on hosts. */
const SESSION_COLUMNS = [
  'mode',
  'state',
  'operator',
  'user',
  'command',
  'created_at',
  'ended_at',
  'end_reason',
]

const HISTORY: Listing = {
  operation: 'security.history',
  rows: 'revisions',
  columns: ['revision', 'updated_at', 'updated_by', 'settings'],
  actions: [
    {
      operation: 'security.rollback',
      title: 'Roll back',
      input: ({ host, revision }) => ({ host: String(host), to: String(revision) }),
    },
  ],
  empty: {
    says: 'svc has no settings for this host.',
    command: 'svc security set HOST --file settings.json',
  },
}

const MAKE = {
  'security.set': 'New settings',
  'security.dry-run': 'Try settings',
  'security.reapply': 'Apply again',
}

const securityPage: Page = {
  path: 'hosts/{host}/security',
  operation: 'security.show',
  show: async (visit, params) => {
    const { host = '' } = params
    const state = await visit.run('security.show', { host })
    const history = await visit.run('security.history', { host })
    return {
      title: `Security · ${host}`,
      shows: listsOf('security.show'),
      command: commandOf('security.show', host),
      body: html`<div class="head"><h1>${host}</h1>${makeLinks({ make: MAKE }, visit, visit.path, params)}</div>
${tabsView(TABS, visit, params)}
${doneView(visit)}
${facts(state, visit, ['drift', 'job', 'desired', 'applied'])}
${section('History', rowsView(HISTORY, history, visit, params))}`,
    }
  },
}

const chartsPage: Page = {
  path: 'hosts/{host}/charts',
  operation: 'fleet.usage',
  show: async (visit, params) => {
    const { host = '' } = params
    const usage = await visit.run('fleet.usage', { host })
    return {
      title: `Charts · ${host}`,
      command: commandOf('fleet.usage', host),
      // Figures come each minute, and nothing tells of them.
      shows: [],
      body: html`<div class="head"><h1>${host}</h1></div>
${tabsView(TABS, visit, params)}
${usageView(usage, visit)}`,
    }
  },
}

export const hostPages: readonly Page[] = [
  listPage({
    path: 'hosts',
    title: 'Hosts',
    operation: 'fleet.servers',
    rows: 'servers',
    filters: ['license'],
    columns: [
      thingColumn('Host', 'hosts', ({ hostname }) => hostname),
      {
        title: 'State',
        of: (server: Row, visit) => [
          shown('state', server.state, visit),
          server.drained === true && ' drained',
        ],
      },
      'last_heartbeat',
      'version',
      'label',
      'org',
      'id',
    ],
    empty: { says: 'No host has reported yet. On a server:', command: 'svc agent install' },
  }),
  detailPage({
    path: 'hosts/{host}',
    operation: 'fleet.show',
    thing: 'server',
    title: (server) => String(server.hostname),
    tabs: TABS,
    first: [
      'state',
      'last_heartbeat',
      'cpu_pct',
      'mem_pct',
      'disk_pct',
      'version',
      'label',
      'license_id',
      'id',
    ],
    without: ['hostname', 'jobs', 'fingerprint'],
    actions: ACTIONS,
    shows: (server) => [`host:${server.license_id} ${server.id}`, `license-jobs:${server.license_id}`],
    sections: async (visit, server) => {
      const answer = await visit.run('jobs.list', {
        host: `fp:${String(server.fingerprint)}`,
        license: server.license_id,
        limit: JOBS,
      })
      const listing = {
        operation: 'jobs.list',
        rows: 'jobs',
        columns: JOB_COLUMNS,
        empty: { says: 'No job yet.' },
      }
      return section('Jobs', rowsView(listing, answer, visit))
    },
  }),
  chartsPage,
  listPage({
    path: 'hosts/{host}/images',
    title: 'Images',
    operation: 'images.list',
    rows: 'images',
    tabs: TABS,
    filters: ['state', 'app'],
    columns: IMAGE_COLUMNS,
    empty: IMAGES_EMPTY,
  }),
  securityPage,
  listPage({
    path: 'hosts/{host}/sessions',
    title: 'Sessions',
    operation: 'ssh.sessions',
    rows: 'sessions',
    tabs: TABS,
    filters: ['active'],
    columns: SESSION_COLUMNS,
    actions: [
      {
        operation: 'ssh.revoke',
        title: 'End',
        atOnce: true,
        input: (session) => (session.ended_at === undefined ? byId('session')(session) : undefined),
      },
    ],
    empty: { says: 'Nobody opened a session here.', command: 'svc ssh HOST' },
  }),
  terminalPage(TABS),
]
