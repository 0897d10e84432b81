import type { Fault } from '../fault.ts'

const SCOPES = 'packages/core/src/platform/database/scoped-statement.ts'
const OPERATOR = 'packages/core/src/platform/operations/operator.ts'
const SUITE = ['packages/http/test/authorization/tenants.test.ts']
const SCOPE_SUITES = ['packages/core/test/platform/storage/scopes.test.ts']
const RULES = ['packages/core/test/platform/operations/operator.test.ts']
const MATRIX = ['packages/http/test/authorization/matrix.test.ts']

/** Mistakes about the things that a tenant's people reach. */
export const faults: readonly Fault[] = [
  {
    name: 'tenants: the scope of an operation is not looked at',
    file: OPERATOR,
    find: "if (scope === 'platform' && roleOf(operator)",
    replace: 'if (scope === undefined && roleOf(operator)',
    suites: RULES,
  },
  {
    name: 'tenants: a permission alone is not asked of a tenant’s people',
    file: OPERATOR,
    find: 'if (!holds(operator, permission)) return',
    replace: 'if (roleOf(operator)?.tenantId === undefined && !holds(operator, permission)) return',
    suites: MATRIX,
  },
  {
    name: 'tenants: a change of hosts is declared to be for staff alone',
    file: 'packages/core/src/work/agents/agent-operations.ts',
    find: "permission: 'platform.deploy',\n    scope: 'tenant',\n    changes: true,\n    input: { host, license, label",
    replace:
      "permission: 'platform.deploy',\n    scope: 'platform',\n    changes: true,\n    input: { host, license, label",
    suites: MATRIX,
  },
  {
    name: 'scopes: things of every license are a tenant’s',
    file: SCOPES,
    find: 'in (select id from licenses where tenant_id = $1)',
    replace: 'in (select id from licenses where $1 is not null)',
    suites: SCOPE_SUITES,
  },
  {
    name: 'scopes: what belongs to a tenant itself is not its own',
    file: SCOPES,
    find: '(${tenant} = $1 or ${own.tenant})',
    replace: '${own.tenant}',
    suites: SCOPE_SUITES,
  },
  {
    name: 'scopes: a license sees what is a neighbour’s',
    file: SCOPES,
    find: 'license: `${column} = $1`',
    replace: 'license: `${column} <> $1`',
    suites: SCOPE_SUITES,
  },
  {
    name: 'scopes: a tenant’s person sees the platform',
    file: 'packages/core/src/people/accounts/caller.ts',
    find: '(tenantId === undefined ? PLATFORM : ofTenant(tenantId))',
    replace: '(tenantId === undefined ? PLATFORM : PLATFORM)',
    suites: SUITE,
  },
  {
    name: 'scopes: a tenant’s person names any license',
    file: 'packages/core/src/people/licenses/licenses.ts',
    find: "if (scope.of !== 'platform') return (await this.named(scope, name)).id\n",
    replace: '',
    suites: ['packages/core/test/people/licenses/names.test.ts'],
  },
  {
    name: 'scopes: any alert is shown',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: '${isOwned} and a.id = any($2::text[])',
    replace: '(${isOwned} or true) and a.id = any($2::text[])',
    suites: SCOPE_SUITES,
  },
  {
    name: 'scopes: a license does not see the alerts of its tenant as a whole',
    file: 'packages/core/src/watch/alerts/alerts-store-sql.ts',
    find: 'where l.id = $1',
    replace: 'where l.id = $1 and false',
    suites: ['packages/core/test/watch/alerts/alerts-store.test.ts'],
  },
  {
    name: 'scopes: every webhook of alerts is listed',
    file: 'packages/core/src/watch/alerts/channels/alert-deliveries-store-sql.ts',
    find: "selectFrom('alert_webhooks').selectAll().where(isOwned)",
    replace: "selectFrom('alert_webhooks').selectAll()",
    suites: SCOPE_SUITES,
  },
]
