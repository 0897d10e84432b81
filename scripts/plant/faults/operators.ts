import type { Fault } from '../fault.ts'

const OPERATIONS = 'packages/core/src/wiring/operations.ts'
const USERS = 'packages/core/src/people/users/user-operations.ts'
const PAYLOAD = 'packages/core/src/kernel/redaction/visible-payload.ts'
const CONFIRMED = ['packages/http/test/routes/confirmed-operations.test.ts']
const AUDIT = ['packages/http/test/authorization/audit.test.ts']
const PAYLOADS = ['packages/http/test/authorization/payloads.test.ts']

/** Mistakes about the permissions of operators, and the records of their actions. */
export const faults: readonly Fault[] = [
  {
    name: 'audit: a change is declared to be none',
    file: USERS,
    find: "summary: 'end every session of a user',\n    permission: 'platform.admin',\n    scope: 'platform',\n    changes: true,",
    replace:
      "summary: 'end every session of a user',\n    permission: 'platform.admin',\n    scope: 'platform',\n    changes: false,",
    suites: AUDIT,
  },
  {
    name: 'audit: a run that ends by a fault leaves no row',
    file: OPERATIONS,
    find: 'await this.#record(operation, input, operator, code).catch(() => {})',
    replace: "if (code !== 'fault') await this.#record(operation, input, operator, code).catch(() => {})",
    suites: AUDIT,
  },
  {
    name: 'audit: a run whose input cannot be read leaves no row',
    file: OPERATIONS,
    find: 'const work = () => operation.run(this.#parts.services, input, operator)',
    replace:
      'const begun = operation.run(this.#parts.services, input, operator)\n    const work = () => begun',
    suites: AUDIT,
  },
  {
    name: 'audit: rows of what somebody may not run have no bound',
    file: OPERATIONS,
    find: 'if (allowed) await this.#record',
    replace: 'if (allowed || !allowed) await this.#record',
    suites: AUDIT,
  },
  {
    name: 'audit: a read that is refused for want of a permission leaves no row',
    file: OPERATIONS,
    find: 'if (allowed) await this.#record',
    replace: 'if (allowed && operation.changes) await this.#record',
    suites: AUDIT,
  },
  {
    name: 'audit: the input is kept with the secrets of its payload',
    file: 'packages/core/src/platform/operations/auditable-input.ts',
    find: 'visiblePayload({ ...kept })',
    replace: '(visiblePayload({}), { ...kept })',
    suites: PAYLOADS,
  },
  {
    name: 'audit: a name that somebody gives themselves over the socket is kept as it is',
    file: 'packages/http/src/routes/operations.ts',
    find: '`${LOCAL}${given',
    replace: '`${LOCAL.slice(6)}${given',
    suites: ['packages/http/test/routes/control.test.ts'],
  },
  {
    name: 'confirmation: without credentials the operation runs all the same',
    file: OPERATIONS,
    find: "if (credentials === undefined || 'token' in caller) throw confirmationRequired(name)",
    replace:
      "if (credentials === undefined || 'token' in caller) return this.#run(operation, clean, operator)",
    suites: CONFIRMED,
  },
  {
    name: 'confirmation: an operation that changes users does not ask for it',
    file: USERS,
    find: "summary: 'give a user another role',\n    permission: 'platform.admin',\n    scope: 'platform',\n    changes: true,\n    confirmed: true,",
    replace:
      "summary: 'give a user another role',\n    permission: 'platform.admin',\n    scope: 'platform',\n    changes: true,",
    suites: CONFIRMED,
  },
  {
    name: 'confirmation: the password suffices for somebody with a second factor',
    file: 'packages/core/src/people/accounts/accounts.ts',
    find: 'if (isRight && (await secondFactors.spend(user, proof))) return',
    replace: 'if (isRight && (proof === undefined || (await secondFactors.spend(user, proof)))) return',
    suites: CONFIRMED,
  },
  {
    name: 'confirmation: a try is not counted',
    file: 'packages/http/src/routes/remote-operations.ts',
    find: 'if (credentials !== undefined) await countTry()',
    replace: 'if (credentials === null) await countTry()',
    suites: CONFIRMED,
  },
  {
    name: 'confirmation: a minted session mints another',
    file: OPERATIONS,
    find: "if (name === 'sessions.mint' && caller.minted)",
    replace: "if (name === 'sessions.mint' && caller.mustSetUp)",
    suites: CONFIRMED,
  },
  {
    name: 'confirmation: somebody mints a session for themselves',
    file: USERS,
    find: "if (operator.user?.id === user.id)\n        throw new Problem('forbidden', { detail: 'your own session",
    replace:
      "if (operator.user?.id === user.email)\n        throw new Problem('forbidden', { detail: 'your own session",
    suites: CONFIRMED,
  },
  {
    name: 'confirmation: the command takes a wrong password for a session that is over',
    file: 'packages/cli/src/connect/remote-client.ts',
    find: 'reply.status === 401 && reply.body?.detail === undefined',
    replace: 'reply.status === 401',
    suites: ['packages/cli/test/program/confirmation.test.ts'],
  },
  {
    name: 'sessions: the database does not say that an operator opened one',
    file: 'packages/core/src/people/sessions/sessions-store-sql.ts',
    find: 'return { user, minted: row.minted }',
    replace: 'return { user, minted: false }',
    suites: ['packages/core/test/people/sessions/sessions-store.test.ts'],
  },
  {
    name: 'payloads: whoever may read sees the secrets',
    file: 'packages/core/src/work/jobs/job-operations.ts',
    find: "jobView(found, holds(operator, 'platform.deploy'))",
    replace: "jobView(found, holds(operator, 'platform.read'))",
    suites: PAYLOADS,
  },
  {
    name: 'payloads: an env within a list is shown',
    file: PAYLOAD,
    find: 'return value.map((each) => masked(each))',
    replace: 'return value',
    suites: ['packages/core/test/kernel/redaction/visible-payload.test.ts'],
  },
  {
    name: 'payloads: a password with an @ in it is shown in part',
    file: PAYLOAD,
    find: '[^\\s/?#]*@/g',
    replace: '[^\\s/?#@]*@/g',
    suites: ['packages/core/test/kernel/redaction/visible-payload.test.ts'],
  },
]
