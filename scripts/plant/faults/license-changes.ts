import type { Fault } from '../fault.ts'

const OPERATIONS = 'packages/core/src/people/licenses/license-operations.ts'
const SQL = 'packages/core/src/people/licenses/licenses-store-sql.ts'
const DEEDS = 'packages/core/src/people/licenses/license-deeds.ts'
const ACCESS = ['packages/http/test/authorization/agent-only.test.ts']
const COMMANDS = ['packages/cli/test/commands/operators.test.ts']
const STORE = ['packages/core/test/people/licenses/licenses-store.test.ts']

/** Mistakes about changes of licenses, and about the fields shown of them. */
export const faults: readonly Fault[] = [
  {
    name: 'licenses: the key of an agent_only license does every deed',
    file: DEEDS,
    find: 'if (license.agentOnly)',
    replace: 'if (license.agentOnly && license.tenantId === undefined)',
    suites: ACCESS,
  },
  {
    name: 'licenses: a token acts for the license of another tenant',
    file: DEEDS,
    find: 'license.tenantId === token.tenantId &&',
    replace: 'license.tenantId !== undefined &&',
    suites: ACCESS,
  },
  {
    name: 'licenses: a developer acts as an owner',
    file: DEEDS,
    find: "return role === 'owner' || role === least",
    replace: "return role === 'owner' || role === 'developer'",
    suites: ACCESS,
  },
  {
    name: 'licenses: minting a transfer key is open to every key',
    file: 'packages/http/src/routes/transfer-keys.ts',
    find: 'if (caller.by === undefined)',
    replace: 'if (caller.by !== undefined)',
    suites: ACCESS,
  },
  {
    name: 'licenses: a push by the key is no deed',
    file: 'packages/core/src/work/git/git-pushes.ts',
    find: 'await this.#parts.licenseDeeds.admitKey(licensee.licenseId, DEED)',
    replace: '',
    suites: ACCESS,
  },
  {
    name: 'licenses: calls are not counted',
    file: DEEDS,
    find: 'await storage.licenses.noteCall(licenseId, deed, clock.statementTime())',
    replace: '',
    suites: ACCESS,
  },
  {
    name: 'licenses: only the calls of the last day stay',
    file: SQL,
    find: 'do update set calls = c.calls + 1',
    replace: 'do update set calls = 1',
    suites: STORE,
  },
  {
    name: 'licenses: another label opens the key',
    file: SQL,
    find: 'sql<boolean>`coalesce(${given.agentOnly}::boolean, agent_only)`',
    replace: 'sql<boolean>`coalesce(${given.agentOnly}::boolean, false)`',
    suites: STORE,
  },
  {
    name: 'licenses: an end in the past is taken',
    file: OPERATIONS,
    find: "if (licenses.stateOf({ status: 'active', expiresAt: end }) === 'active') return end",
    replace: 'if (end) return end',
    suites: COMMANDS,
  },
  {
    name: 'licenses: this very moment is ahead',
    file: 'packages/core/src/people/licenses/license.ts',
    find: 'expiresAt !== undefined && expiresAt <= now ?',
    replace: 'expiresAt !== undefined && expiresAt < now ?',
    suites: COMMANDS,
  },
  {
    name: 'licenses: an extension without an end takes the end away',
    file: OPERATIONS,
    find: '(expires === undefined) !== (never === true)',
    replace: 'expires !== undefined && never === true',
    suites: COMMANDS,
  },
  {
    name: 'licenses: an expired license is shown as active',
    file: 'packages/core/src/people/licenses/licenses.ts',
    find: 'return licenseState(license, this.#parts.clock.now())',
    replace: 'return licenseState(license, new Date(0))',
    suites: COMMANDS,
  },
  {
    name: 'licenses: a rename moves the end',
    file: SQL,
    find: 'case when ${given.endChanges}::boolean then ${given.end}::timestamptz else expires_at end',
    replace: '${given.end}::timestamptz',
    suites: STORE,
  },
  {
    name: 'licenses: the end of a revoked license moves',
    file: SQL,
    find: 'sql<SqlBool>`not ${given.endChanges}::boolean`',
    replace: 'sql<SqlBool>`${given.endChanges}::boolean`',
    suites: STORE,
  },
  {
    name: 'licenses: a label cannot be removed',
    file: SQL,
    find: 'coalesce(${given.label}::text, label)',
    replace: "coalesce(nullif(${given.label}::text, ''), label)",
    suites: STORE,
  },
  {
    name: 'licenses: a revoked license gets another status',
    file: SQL,
    find: "\n      .where('status', '<>', 'revoked')",
    replace: '',
    suites: STORE,
  },
]
