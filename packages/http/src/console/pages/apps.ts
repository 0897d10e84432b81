import { byId, type RowAction } from '../actions.ts'
import { codeOf, NOTHING, type Row, shown, state } from '../cells.ts'
import { detailPage, section } from '../detail.ts'
import { html } from '../html.ts'
import { listPage, rowsView, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'
import type { Tab } from '../tabs.ts'

const named = byId('app')

const ACTIONS: readonly RowAction[] = [
  { operation: 'apps.deploy', title: 'Deploy', input: named },
  { operation: 'apps.rollback', title: 'Roll back', input: named },
  { operation: 'apps.restart', title: 'Restart', atOnce: true, input: named },
  { operation: 'apps.stop', title: 'Stop', input: named },
  { operation: 'apps.start', title: 'Start', atOnce: true, input: named },
  { operation: 'apps.scale', title: 'Scale', input: named },
  { operation: 'apps.maintenance', title: 'Maintenance', input: named },
  { operation: 'apps.move', title: 'Move', input: named },
  { operation: 'apps.set', title: 'Settings', input: named },
  { operation: 'apps.remove', title: 'Remove', input: named },
]

const TABS: readonly Tab[] = [
  { path: 'apps/{app}', title: 'App' },
  { path: 'apps/{app}/env', title: 'Variables' },
  { path: 'apps/{app}/domains', title: 'Domains' },
  { path: 'apps/{app}/databases', title: 'Databases' },
  { path: 'apps/{app}/cron', title: 'Cron' },
  { path: 'apps/{app}/registries', title: 'Registries' },
]

/** The fields of an action on one entry of an app's list. */
const within =
  (field: string, of = field): RowAction['input'] =>
  ({ app, ...row }) => ({ app: String(app), [field]: String(row[of]) })

const observedStates = (app: Row): readonly unknown[] =>
  Array.isArray(app.observed) ? app.observed.map((each: Row) => each.state) : []

const SHA_CHARS = 12

const RELEASES = {
  operation: 'apps.releases',
  rows: 'releases',
  columns: [
    {
      title: 'Commit',
      of: ({ sha }: Row) => (sha === undefined ? NOTHING : codeOf(String(sha).slice(0, SHA_CHARS))),
    },
    'state',
    'created_at',
    'by',
    'job_id',
  ],
  empty: { says: 'Nothing was deployed yet.', command: 'svc apps deploy' },
} as const

/** Entries of the lists on an app's own page. */
const FEW = 10

export const appPages: readonly Page[] = [
  listPage({
    path: 'apps',
    title: 'Apps',
    operation: 'apps.list',
    rows: 'apps',
    filters: ['license'],
    columns: [
      thingColumn('App', 'apps', ({ name }) => name),
      {
        title: 'State',
        of: (app, visit) => observedStates(app).map((each) => html`${state(each, visit, app)} `),
      },
      {
        title: 'Deployed',
        of: (app, visit) => {
          const last = app.last_deployment as Row | undefined
          return last === undefined
            ? NOTHING
            : [shown('state', last.state, visit), ' ', shown('created_at', last.created_at, visit)]
        },
      },
      'repo_url',
      'variables',
      'license_id',
    ],
    make: { 'apps.create': 'New app' },
    empty: { says: 'No app yet. In its folder:', command: 'svc apps deploy' },
  }),
  detailPage({
    path: 'apps/{app}',
    operation: 'apps.show',
    thing: 'app',
    title: (app) => String(app.name),
    tabs: TABS,
    first: ['state', 'hosts', 'repo_url', 'license_id', 'env_revision', 'created_at', 'updated_at', 'id'],
    without: ['name', 'host', 'variables'],
    actions: ACTIONS,
    shows: (app) => ['apps', `license-jobs:${app.license_id}`],
    sections: async (visit, app) => {
      const { id, name, license_id } = app
      const releases = await visit.run('apps.releases', { app: id, limit: FEW })
      const jobs = visit.links.to('jobs', { app: String(name), license: String(license_id) })
      return html`${section('Releases', rowsView(RELEASES, releases, visit))}<p><a href="${jobs}">All jobs of this app</a></p>`
    },
  }),
  listPage({
    path: 'apps/{app}/env',
    title: 'Variables',
    operation: 'apps.env-list',
    rows: 'variables',
    tabs: TABS,
    columns: [
      'name',
      { title: 'Value', of: ({ secret, value }) => (secret === true ? 'secret' : codeOf(String(value))) },
      'updated_at',
    ],
    actions: [{ operation: 'apps.env-unset', title: 'Unset', input: within('names', 'name') }],
    make: { 'apps.env-set': 'Set variables' },
    empty: { says: 'No variable yet.', command: 'svc apps env set NAME' },
  }),
  listPage({
    path: 'apps/{app}/domains',
    title: 'Domains',
    operation: 'apps.domains-list',
    rows: 'domains',
    tabs: TABS,
    columns: ['domain', 'state', 'reason', 'tls', 'process', 'redirect_to', 'updated_at'],
    actions: [{ operation: 'apps.domains-remove', title: 'Remove', input: within('domain') }],
    make: { 'apps.domains-add': 'Add domain' },
    empty: { says: 'No domain yet.', command: 'svc apps domains add APP DOMAIN' },
  }),
  listPage({
    path: 'apps/{app}/databases',
    title: 'Databases',
    operation: 'apps.databases-list',
    rows: 'databases',
    tabs: TABS,
    columns: ['name', 'engine', 'state', 'op', 'reason', 'links', 'updated_at'],
    actions: [
      { operation: 'apps.databases-backup', title: 'Back up', input: within('name'), atOnce: true },
      { operation: 'apps.databases-restore', title: 'Restore', input: within('name') },
      { operation: 'apps.databases-rotate', title: 'Rotate', input: within('name') },
      { operation: 'apps.databases-drop', title: 'Drop', input: within('name') },
    ],
    make: { 'apps.databases-create': 'New database', 'apps.databases-link': 'Link' },
    empty: { says: 'No database yet.', command: 'svc apps databases create APP NAME' },
  }),
  listPage({
    path: 'apps/{app}/cron',
    title: 'Cron',
    operation: 'apps.cron-list',
    rows: 'crons',
    tabs: TABS,
    columns: ['name', 'schedule', 'timezone', 'last_at', 'seconds', 'running', 'skipped', 'fault'],
    empty: { says: 'No command of the clock: the key “cron” of svc.json names some.' },
  }),
  listPage({
    path: 'apps/{app}/registries',
    title: 'Registries',
    operation: 'apps.registry-list',
    rows: 'registries',
    tabs: TABS,
    columns: ['registry', 'updated_at'],
    actions: [{ operation: 'apps.registry-logout', title: 'Log out', input: within('registry') }],
    make: { 'apps.registry-login': 'Log in' },
    empty: { says: 'No private registry.', command: 'svc apps registry login APP REGISTRY' },
  }),
]
