import type { Fault } from '../fault.ts'

const LIMITS = 'packages/core/src/work/jobs/enqueue-limits.ts'
const LIMITED = ['packages/core/test/work/jobs/enqueue-limits.test.ts']
const PAGE = 'packages/core/src/kernel/page.ts'
const PAGED = ['packages/core/test/kernel/page.test.ts']
const ONE = ['packages/core/test/platform/operations/one-tenant.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'one tenant: a payload is measured in characters',
    file: 'packages/core/src/work/jobs/job-payload.ts',
    find: 'Buffer.byteLength(JSON.stringify(checked))',
    replace: 'JSON.stringify(checked).length',
    suites: ['packages/core/test/work/jobs/job-payload.test.ts'],
  },
  {
    name: 'one tenant: a full queue takes one job more',
    file: LIMITS,
    find: 'if (room >= 1) return',
    replace: 'if (room >= 0) return',
    suites: LIMITED,
  },
  {
    name: 'one tenant: the room of a license is never counted again',
    file: LIMITS,
    find: 'if (room < 1) room =',
    replace: 'if (this.#room.get(licenseId) === undefined) room =',
    suites: LIMITED,
  },
  {
    name: 'one tenant: what is done again is not counted',
    file: 'packages/core/src/work/jobs/jobs.ts',
    find: 'await this.#parts.limits?.take(old.licenseId)',
    replace: '',
    suites: LIMITED,
  },
  {
    name: 'one tenant: a page has no end in bytes',
    file: PAGE,
    find: 'left -= size',
    replace: 'left -= 0',
    suites: PAGED,
  },
  {
    name: 'one tenant: a row that alone is too large ends the list for ever',
    file: PAGE,
    find: 'rows.length > 0 && size > left',
    replace: 'size > left',
    suites: PAGED,
  },
  {
    name: 'one tenant: a long input is kept whole in the audit log',
    file: 'packages/core/src/platform/operations/auditable-input.ts',
    find: 'if (charsOf(input) <= MAX_CHARS.all) return input',
    replace: 'if (charsOf(input) > 0) return input',
    suites: ONE,
  },
  {
    name: 'one tenant: an old input of a megabyte is answered',
    file: 'packages/core/src/platform/operations/audit-store-sql.ts',
    find: 'case when length(input::text) <= ${MAX_AUDIT_CHARS} then input end as input',
    replace: 'input',
    suites: ['packages/core/test/platform/operations/audit-store.test.ts'],
  },
]
