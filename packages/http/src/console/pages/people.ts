import { byId, inState, type RowAction } from '../actions.ts'
import { detailPage, section } from '../detail.ts'
import { listPage, rowsView, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'

const license = byId('license')

const LICENSE_ACTIONS: readonly RowAction[] = [
  {
    operation: 'licenses.rename',
    title: 'Rename',
    input: ({ id, label }) => ({ license: String(id), label: String(label) }),
  },
  { operation: 'licenses.edit', title: 'Edit', input: license },
  { operation: 'licenses.extend', title: 'Extend', input: license },
  { operation: 'licenses.suspend', title: 'Suspend', input: inState(['active'], license, 'status') },
  { operation: 'licenses.reinstate', title: 'Reinstate', input: inState(['suspended'], license, 'status') },
  {
    operation: 'licenses.restrict',
    title: 'Restrict',
    input: ({ id, agent_only }) => (agent_only === true ? undefined : { license: String(id) }),
  },
  {
    operation: 'licenses.unrestrict',
    title: 'Unrestrict',
    input: ({ id, agent_only }) => (agent_only === true ? { license: String(id) } : undefined),
  },
  {
    operation: 'licenses.revoke',
    title: 'Revoke',
    input: inState(['active', 'suspended', 'expired'], license, 'status'),
  },
]

const email = byId('email', 'email')

export const peoplePages: readonly Page[] = [
  listPage({
    path: 'licenses',
    title: 'Licenses',
    operation: 'licenses.list',
    rows: 'licenses',
    columns: [
      thingColumn('License', 'licenses', ({ label, id }) => label || id),
      'status',
      'tier',
      'tenant_id',
      'expires_at',
      'created_at',
      'id',
    ],
    make: { 'licenses.issue': 'Issue license' },
    empty: { says: 'No license yet.', command: 'svc licenses issue' },
  }),
  detailPage({
    path: 'licenses/{license}',
    operation: 'licenses.show',
    thing: 'license',
    title: (row) => String(row.label || row.id),
    first: [
      'status',
      'status_reason',
      'tier',
      'tenant_id',
      'contact_email',
      'billing_state',
      'expires_at',
      'created_at',
      'id',
    ],
    without: ['label'],
    actions: LICENSE_ACTIONS,
    sections: async (visit, row) => {
      const answer = await visit.run('fleet.servers', { license: row.id })
      const columns = [thingColumn('Host', 'hosts'), 'hostname', 'state', 'last_heartbeat', 'version']
      const empty = { says: 'No host has reported with this license.' }
      return section(
        'Hosts',
        rowsView({ operation: 'fleet.servers', rows: 'servers', columns, empty }, answer, visit),
      )
    },
  }),
  listPage({
    path: 'tenants',
    title: 'Tenants',
    operation: 'tenants.list',
    rows: 'tenants',
    columns: ['name', 'id', 'created_at'],
    make: { 'tenants.add': 'Add tenant' },
    empty: { says: 'No tenant yet.', command: 'svc tenants add NAME' },
  }),
  listPage({
    path: 'users',
    title: 'Users',
    operation: 'users.list',
    rows: 'users',
    columns: ['email', 'role', 'tenant_id', 'second_factor', 'disabled_at', 'created_at'],
    actions: [
      {
        operation: 'users.set-role',
        title: 'Role',
        input: ({ email: of, role }) => ({ email: String(of), role: String(role) }),
      },
      { operation: 'users.set-password', title: 'Password', input: email },
      {
        operation: 'users.reset-second-factor',
        title: 'Reset factor',
        input: (user) => (user.second_factor === true ? email(user) : undefined),
      },
      { operation: 'sessions.revoke', title: 'Sign out', input: email },
      {
        operation: 'users.disable',
        title: 'Disable',
        input: (user) => (user.disabled_at === undefined ? email(user) : undefined),
      },
      {
        operation: 'users.enable',
        title: 'Enable',
        input: (user) => (user.disabled_at === undefined ? undefined : email(user)),
      },
    ],
    make: { 'users.add': 'Add user', 'sessions.mint': 'Mint session' },
    empty: { says: 'Nobody can sign in yet.', command: 'svc users add EMAIL --role operator' },
  }),
  listPage({
    path: 'tokens',
    title: 'API tokens',
    operation: 'tokens.list',
    rows: 'tokens',
    columns: ['label', 'role', 'tenant_id', 'created_by', 'last_used_at', 'expires_at', 'id'],
    actions: [{ operation: 'tokens.revoke', title: 'Revoke', input: byId('token') }],
    make: { 'tokens.issue': 'Issue token' },
    empty: { says: 'No API token yet.', command: 'svc tokens issue --role operator' },
  }),
]
