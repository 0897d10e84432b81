import type { Fault } from '../fault.ts'

const MIGRATION = 'packages/core/src/platform/database/migrations/0033-keys-pass-to-what-is-run.ts'
const STORE = ['packages/core/test/work/jobs/jobs-store.test.ts']
const WAIT = 'packages/core/src/work/jobs/job-wait.ts'
const WAITS = ['packages/core/test/work/jobs/job-wait.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'passing keys: a license without a host online runs nothing',
    file: MIGRATION,
    find: 'or not exists (select from agents a where a.license_id = lic and ${LIVE})',
    replace: '',
    suites: STORE,
  },
  {
    name: 'passing keys: a host that never said its kinds runs none',
    file: MIGRATION,
    find: '(a.kinds is null or knd = any (a.kinds))',
    replace: 'knd = any (a.kinds)',
    suites: STORE,
  },
  {
    name: 'passing keys: any host runs what is aimed at one',
    file: MIGRATION,
    find: "(tgt = '' or a.fingerprint = tgt) and",
    replace: '',
    suites: STORE,
  },
  {
    name: 'passing keys: a key is taken from a job that a host holds',
    file: MIGRATION,
    find: "and j.state = 'pending' and j.available_at < 'infinity' and not",
    replace: "and j.available_at < 'infinity' and not",
    suites: STORE,
  },
  {
    name: 'passing keys: the one that is released need not be run',
    file: MIGRATION,
    find: 'return coalesce(runs, case when not run_only then first.id end);',
    replace: 'return first.id;',
    suites: STORE,
  },
  {
    name: 'passing keys: a job that is not due takes the key',
    file: MIGRATION,
    find: 'where ${WAITS} and ${PLACE} <= at and (j.kind',
    replace: 'where ${WAITS} and (j.kind',
    suites: STORE,
  },
  {
    name: 'passing keys: the sweep passes none on',
    file: 'packages/core/src/work/jobs/job-end-sql.ts',
    find: 'for (const { license_id, serial_key } of blocked) await',
    replace: 'for (const { license_id, serial_key } of blocked.slice(blocked.length)) await',
    suites: STORE,
  },
  {
    name: 'passing keys: idle hosts are a reason beside the job that is waited for',
    file: WAIT,
    find: 'if (isKept) return []',
    replace: '',
    suites: WAITS,
  },
  {
    name: 'passing keys: nobody says that a job gives way',
    file: WAIT,
    find: '!isRunBy(facts.hosts, job, now)',
    replace: 'false',
    suites: WAITS,
  },
]
