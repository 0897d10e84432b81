import type { Fault } from '../fault.ts'

const SCOPES = 'packages/core/src/database/scoped-statement.ts'
const TENANT = 'packages/core/src/operations/tenant'
const OPERATOR = 'packages/core/src/operations/operator.ts'
const SUITE = ['packages/http/test/access/tenants.test.ts']
const SCOPE_SUITES = ['packages/core/test/storage/scopes.test.ts']
const RULES = ['packages/core/test/operations/operator.test.ts']
const MATRIX = ['packages/http/test/access/matrix.test.ts']

/** Mistakes about the things that a tenant's people reach. */
export const faults: readonly Fault[] = [
  {
    name: 'tenants: a tenant’s people get the services of the platform',
    file: 'packages/core/src/wiring/operations.ts',
    find: 'return tenantId === undefined ? services',
    replace: 'return tenantId === tenantId ? services',
    suites: SUITE,
  },
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
    file: 'packages/core/src/agents/agent-operations.ts',
    find: "permission: 'platform.deploy',\n    scope: 'tenant',\n    changes: true,\n    input: { host, license, label",
    replace:
      "permission: 'platform.deploy',\n    scope: 'platform',\n    changes: true,\n    input: { host, license, label",
    suites: MATRIX,
  },
  {
    name: 'tenants: every license counts as theirs',
    file: `${TENANT}/tenant-licenses.ts`,
    find: 'return tenantId === this.#tenantId',
    replace: 'return tenantId !== undefined',
    suites: SUITE,
  },
  {
    name: 'tenants: alerts are acted on in the scope that was asked for',
    file: `${TENANT}/tenant-alerts.ts`,
    find: 'this.#alerts.act({ ...input, scope: await this.#within(input.scope) })',
    replace: 'this.#alerts.act(input)',
    suites: SUITE,
  },
  {
    name: 'tenants: any alert is shown',
    file: `${TENANT}/tenant-alerts.ts`,
    find: 'alert?.tenantId === this.#tenantId ? alert : undefined',
    replace: 'alert',
    suites: SUITE,
  },
  {
    name: 'tenants: every webhook is listed',
    file: `${TENANT}/tenant-alerts.ts`,
    find: 'webhook.tenantId === this.#tenantId',
    replace: "webhook.tenantId !== ''",
    suites: SUITE,
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
    file: 'packages/core/src/operations/caller.ts',
    find: '(tenantId === undefined ? PLATFORM : ofTenant(tenantId))',
    replace: '(tenantId === undefined ? PLATFORM : PLATFORM)',
    suites: SUITE,
  },
  {
    name: 'scopes: a tenant’s person names any license',
    file: 'packages/core/src/licenses/licenses.ts',
    find: "if (scope.of !== 'platform') return (await this.named(scope, name)).id\n",
    replace: '',
    suites: ['packages/core/test/licenses/names.test.ts'],
  },
]
