import type { Fault } from '../fault.ts'

const OPERATIONS = 'packages/core/src/licenses/license-operations.ts'
const SQL = 'packages/core/src/licenses/licenses-store-sql.ts'
const COMMANDS = ['packages/cli/test/commands/operators.test.ts']
const STORE = ['packages/core/test/licenses/licenses-store.test.ts']

/** Mistakes about changes of licenses, and about what is shown of them. */
export const faults: readonly Fault[] = [
  {
    name: 'licenses: an end in the past is taken',
    file: OPERATIONS,
    find: "if (licenses.stateOf({ status: 'active', expiresAt: end }) === 'active') return end",
    replace: 'if (end) return end',
    suites: COMMANDS,
  },
  {
    name: 'licenses: this very moment is ahead',
    file: 'packages/core/src/licenses/license.ts',
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
    file: 'packages/core/src/licenses/licenses.ts',
    find: 'return licenseState(license, this.#parts.clock.now())',
    replace: 'return licenseState(license, new Date(0))',
    suites: COMMANDS,
  },
  {
    name: 'licenses: a rename moves the end',
    file: SQL,
    find: 'case when $3::boolean then $4::timestamptz else expires_at end',
    replace: '$4::timestamptz',
    suites: STORE,
  },
  {
    name: 'licenses: the end of a revoked license moves',
    file: SQL,
    find: "(status <> 'revoked' or not $3::boolean)",
    replace: "(status <> 'revoked' or $3::boolean)",
    suites: STORE,
  },
  {
    name: 'licenses: a label cannot be removed',
    file: SQL,
    find: 'label = coalesce($2::text, label)',
    replace: "label = coalesce(nullif($2::text, ''), label)",
    suites: STORE,
  },
  {
    name: 'licenses: a revoked license gets another status',
    file: SQL,
    find: "where id = $1 and status <> 'revoked'`",
    replace: 'where id = $1`',
    suites: STORE,
  },
]
