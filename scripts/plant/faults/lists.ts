import type { Fault } from '../fault.ts'

const SQL = 'packages/core/src/work/jobs/job-list-sql.ts'
const OPERATIONS = 'packages/core/src/work/jobs/job-operations.ts'
const ENDS = 'packages/cli/src/connect/whole-ids.ts'
const SIGNER = 'packages/core/src/platform/signing/signer.ts'
const STORE = ['packages/core/test/work/jobs/jobs-store.test.ts']
const COMMANDS = ['packages/cli/test/commands/jobs.test.ts']
const WHOLE = ['packages/cli/test/program/whole-ids.test.ts']
const TABLE = ['packages/core/test/platform/operations/lists.test.ts']
const SIGNING = ['packages/core/test/platform/signing/signer.test.ts']

const RARE = ['packages/core/test/work/jobs/rare-values.test.ts']

/** Mistakes about lists of jobs, ends of ids, and keys that must not be published. */
export const faults: readonly Fault[] = [
  {
    name: 'lists: a page repeats the job that its cursor names',
    file: SQL,
    find: "'j.id >= $6 and j.id < $7'",
    replace: "'j.id >= $6 and j.id <= $7'",
    suites: STORE,
  },
  {
    name: 'lists: held jobs of a license ignore the cursor',
    file: SQL,
    find: "    where ${RANGE.replaceAll('j.', '')} order by",
    replace: '    order by',
    suites: STORE,
  },
  {
    name: 'lists: the kind is ignored',
    file: SQL,
    find: '($5::text is null or j.kind = $5)',
    replace: '($5::text is null or true)',
    suites: STORE,
  },
  {
    name: 'lists: jobs that failed are looked for among all that have ended',
    file: SQL,
    find: "listOf('list-failed', PARTS.failed)",
    replace: "listOf('list-failed', PARTS.succeeded)",
    suites: ['packages/core/test/work/jobs/query-plans.test.ts'],
  },
  {
    name: 'lists: the end of an id may stand anywhere',
    file: SQL,
    find: 'where ${owned} and right(j.id, length($9)) = $9',
    replace: 'where ${owned} and $9 in ($9)',
    suites: STORE,
  },
  {
    name: 'lists: the last page has a cursor',
    file: 'packages/core/src/work/jobs/jobs.ts',
    find: 'found.length > limit ? jobs.at(-1)?.id : from',
    replace: 'found.length >= limit ? jobs.at(-1)?.id : from',
    suites: COMMANDS,
  },
  {
    name: 'lists: a tenant has the jobs of all',
    file: OPERATIONS,
    find: 'license?.tenantId === tenantId ? scope : undefined',
    replace: 'license?.tenantId === tenantId ? undefined : scope',
    suites: COMMANDS,
  },
  {
    name: 'lists: an end that two ids share means the first',
    file: ENDS,
    find: 'if (others.length === 0) return only?.id ?? end',
    replace: 'if (others.length >= 0) return only?.id ?? end',
    suites: WHOLE,
  },
  {
    name: 'lists: the name of a row is taken for the end of an id',
    file: ENDS,
    find: 'name === end)) return end',
    replace: 'name === end)) return listed[0]?.id ?? end',
    suites: WHOLE,
  },
  {
    name: 'keys: the seed of a published key is published',
    file: SIGNER,
    find: 'return key !== undefined && !isSecret',
    replace: 'return key !== undefined',
    suites: SIGNING,
  },
  {
    name: 'keys: the seed of a retired key is not known',
    file: SIGNER,
    find: 'const known = [this.#key?.publicKey, ...retired]',
    replace: 'const known = [this.#key?.publicKey]',
    suites: SIGNING,
  },
  {
    name: 'lists: a page of messages repeats the one that its cursor names',
    file: 'packages/core/src/reach/email/sending/email-messages-statements-sql.ts',
    find: 'm.id collate "C" < $3)',
    replace: 'm.id collate "C" <= $3)',
    suites: TABLE,
  },
  {
    name: 'lists: a page of sending keys repeats the one that its cursor names',
    file: 'packages/core/src/reach/email/keys/email-keys-store-sql.ts',
    find: 'id collate "C" > ${after}',
    replace: 'id collate "C" >= ${after}',
    suites: TABLE,
  },
  {
    name: 'lists: the state of payment events is ignored',
    file: 'packages/core/src/reach/billing/payment-events-store-sql.ts',
    find: 'is null or state = any(${states}::text[]))',
    replace: 'is null or true)',
    suites: TABLE,
  },
  {
    name: 'lists: domains that are looked at stand by license',
    file: 'packages/core/src/watch/surface/surface-targets-store-sql.ts',
    find: '.orderBy(sql`domain collate "C"`)\n    .orderBy(sql`license_id collate "C"`)',
    replace: '.orderBy(sql`license_id collate "C"`)\n    .orderBy(sql`domain collate "C"`)',
    suites: TABLE,
  },
  {
    name: 'lists: sessions on hosts stand by their ids alone',
    file: 'packages/core/src/hosts/access/access-statements-sql.ts',
    find: "\n    .orderBy('created_at', 'desc')",
    replace: '',
    suites: TABLE,
  },
  {
    name: 'rare values: an empty page ends the list',
    file: 'packages/core/src/work/jobs/jobs.ts',
    find: 'found.length > limit ? jobs.at(-1)?.id : from',
    replace: 'found.length > limit ? jobs.at(-1)?.id : undefined',
    suites: RARE,
  },
  {
    name: 'rare values: a page reads on to the end of the history',
    file: 'packages/core/src/work/jobs/jobs.ts',
    find: "...filter, ...present('from', from), limit: limit + 1",
    replace: '...filter, limit: limit + 1',
    suites: RARE,
  },
  {
    name: 'rare values: an empty page ends the audit log',
    file: 'packages/core/src/platform/operations/audit-operations.ts',
    find: 'next = isOver ? undefined : looked',
    replace: 'next',
    suites: RARE,
  },
  {
    name: 'rare values: jobs of a tenant are looked through up to its quietest license',
    file: 'packages/core/src/work/jobs/job-list-sql.ts',
    find: 'select max(seen.id) as id',
    replace: 'select min(seen.id) as id',
    suites: ['packages/core/test/work/jobs/jobs-store.test.ts'],
  },
]
