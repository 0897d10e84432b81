import type { Fault } from '../fault.ts'

const CONTRACT = ['packages/core/test/work/jobs/jobs-store.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'jobs: any job is read: the scope is left off',
    file: 'packages/core/src/work/jobs/jobs-store-sql.ts',
    find: ".selectAll().where(isOwned).where('id', '=', jobId)",
    replace: ".selectAll().where('id', '=', jobId)",
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
  {
    name: 'jobs: a tenant’s list is of every license',
    file: 'packages/core/src/work/jobs/job-list-sql.ts',
    find: 'select id from licenses where tenant_id = $1',
    replace: 'select id from licenses where $1 is not null',
    suites: ['packages/core/test/platform/storage/scopes.test.ts'],
  },
  {
    name: 'jobs: a heartbeat renews the lease of a job that has ended',
    file: 'packages/core/src/work/jobs/job-renew-sql.ts',
    find: 'where ${OWNER} and ${HELD_BY_ID} and ${SOON_OVER}',
    replace: 'where ${OWNER} and ${SOON_OVER}',
    suites: CONTRACT,
  },
  {
    name: 'jobs: a later word that a job runs moves its beginning',
    file: 'packages/core/src/work/jobs/job-report-sql.ts',
    find: 'coalesce(j.started_at, q.at)',
    replace: 'q.at',
    suites: CONTRACT,
  },
  {
    name: 'jobs: a second cancel replaces the reason of the first',
    file: 'packages/core/src/work/jobs/jobs-store-sql.ts',
    find: 'case when cancel_requested_at is null then $4 else cancel_reason end',
    replace: '$4',
    suites: CONTRACT,
  },
  {
    name: 'jobs: a host cancels what waits for another host',
    file: 'packages/core/src/work/jobs/jobs-store-sql.ts',
    find: "(state = 'pending' and target in ('', $3))",
    replace: "state = 'pending'",
    suites: CONTRACT,
  },
  {
    name: 'jobs: the offset of an earlier attempt goes on in the next',
    file: 'packages/core/src/work/jobs/job-log-append-sql.ts',
    find: 'next: row.last_attempt === row.attempt ? (row.last_next ?? EMPTY_LOG.next) : EMPTY_LOG.next,',
    replace: 'next: row.last_next ?? EMPTY_LOG.next,',
    suites: CONTRACT,
  },
  {
    name: 'jobs: those of one key are under way at once',
    file: 'packages/core/src/platform/database/batch.ts',
    find: 'return loading.has(key) || this.#underWay.some(({ keys }) => keys.has(key))',
    replace: 'return loading.has(key)',
    suites: ['packages/core/test/platform/database/batch.test.ts'],
  },
  {
    name: 'jobs: whoever may read repeats a job',
    file: 'packages/core/src/work/jobs/job-operations.ts',
    find: "summary: 'do the work of a finished job again, as a new job',\n  permission: 'platform.deploy'",
    replace: "summary: 'do the work of a finished job again, as a new job',\n  permission: 'platform.read'",
    suites: ['packages/http/test/authorization/matrix.test.ts'],
  },
  {
    name: 'agent: log lines never go back to where the plane stands',
    file: 'packages/cli/src/agent/run/log-stream.ts',
    find: 'this.#next = Math.min(Math.max(next, first), first + this.#parts.spool.count)',
    replace: 'this.#next = Math.min(Math.max(next, this.#next), first + this.#parts.spool.count)',
    suites: ['packages/cli/test/agent/logs.test.ts'],
  },
]
