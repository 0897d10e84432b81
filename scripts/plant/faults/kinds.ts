import type { Fault } from '../fault.ts'

const CLAIM = 'packages/core/src/work/jobs/job-claim-sql.ts'
const PROBE = 'packages/core/src/work/jobs/job-probe-sql.ts'
const END = 'packages/core/src/work/jobs/job-end-sql.ts'
const LEASE = 'packages/core/src/work/jobs/job-lease-sql.ts'
const WORKS = 'packages/core/src/work/jobs/host-works.ts'
const WAIT = 'packages/core/src/work/jobs/job-wait.ts'
const STORE = ['packages/core/test/work/jobs/jobs-store.test.ts']
const NOTED = ['packages/core/test/work/jobs/host-works.test.ts']
const WHY = ['packages/core/test/work/jobs/job-wait.test.ts']

/** Mistakes about hosts that run only some kinds of jobs. */
export const faults: readonly Fault[] = [
  {
    name: 'kinds: a claim gets jobs of every kind',
    file: CLAIM,
    find: "claimText(' and kind = any ($7::text[])')",
    replace: "claimText(' and $7::text[] is not null')",
    suites: STORE,
  },
  {
    name: 'kinds: a probe sees no job when it names kinds',
    file: PROBE,
    find: "probeText(' and j.kind = any ($6::text[])')",
    replace: "probeText(' and j.kind <> all ($6::text[])')",
    suites: STORE,
  },
  {
    name: 'kinds: a claim ends lost jobs of other kinds alone',
    file: END,
    find: "' and kind = any ($6::text[])'",
    replace: "' and kind <> all ($6::text[])'",
    suites: STORE,
  },
  {
    name: 'kinds: hosts of one batch share the kinds of the first',
    file: LEASE,
    find: "Map.groupBy(items, ({ request }) => request.kinds?.join(' '))",
    replace: 'Map.groupBy(items, ({ request }) => request.kinds === undefined)',
    suites: STORE,
  },
  {
    name: 'kinds: an empty list is every kind',
    file: WORKS,
    find: 'kinds?.length === JOB_KINDS.length ? undefined : kinds',
    replace: 'kinds?.length === JOB_KINDS.length || kinds?.length === 0 ? undefined : kinds',
    suites: NOTED,
  },
  {
    name: 'kinds: those that nobody knows reach the queue',
    file: WORKS,
    find: 'kinds && JOB_KINDS.filter((kind) => kinds.includes(kind))',
    replace: 'kinds as readonly JobKind[] | undefined',
    suites: NOTED,
  },
  {
    name: 'kinds: each claim stores them again',
    file: WORKS,
    find: 'if (noted?.work === work && Math.abs(at - noted.at) < BELIEVED_MS) return',
    replace: 'if (noted?.work === work && Math.abs(at - noted.at) < 0) return',
    suites: NOTED,
  },
  {
    name: 'kinds: a host that reports later is never stored',
    file: WORKS,
    find: 'if (isKnown && !saysNothing)',
    replace: 'if (!saysNothing)',
    suites: NOTED,
  },
  {
    name: 'kinds: why overlooks that nobody runs one',
    file: WAIT,
    find: 'kinds === undefined || kinds.includes(kind)',
    replace: 'kinds === undefined || kind.length > 0',
    suites: WHY,
  },
]
